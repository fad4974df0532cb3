import type { Child } from "hono/jsx";
import type { FormField, Problems } from "../form-fields.ts";
import { FieldRow, FormProblem } from "./fields.tsx";

const FIELD = "confirmation";

/** What a thing goes by, and what is typed therefore: people have no name of their own here. */
export type TypedWord = "name" | "address";

interface ConfirmByNameProps {
  /** What is destroyed: "monitor". */
  kind: string;
  word?: TypedWord | undefined;
  /** To be typed. */
  name: string;
  /** Of the button. */
  verb?: string;
  /** What is lost with it. */
  children: Child;
  /** To be ticked, or not. */
  option?: FormField | undefined;
  /** Where the form goes. */
  action: string;
  cancel: string;
  problems: Problems;
}

/** The form before something is destroyed for good. */
export function ConfirmByName({
  kind,
  word = "name",
  name,
  verb = "Delete",
  children,
  option,
  action,
  cancel,
  problems,
}: ConfirmByNameProps) {
  return (
    <form method="post" action={action} class="card">
      <FormProblem problems={problems} />
      <div class="lead">{children}</div>
      <p>
        To confirm, type <strong dir="auto">{name}</strong>
      </p>
      <FieldRow
        field={{ name: FIELD, kind: "text", label: `The ${kind}'s exact ${word}`, required: true }}
        values={{}}
        problems={problems}
      />
      {option ? <FieldRow field={option} values={{}} problems={problems} /> : null}
      <p class="actions">
        <button type="submit" class="danger">
          {verb}
        </button>
        <a class="button second" href={cancel}>
          Cancel
        </a>
      </p>
    </form>
  );
}

/** Empty where the name was typed. */
export function confirmationProblems(form: URLSearchParams, name: string, word: TypedWord = "name"): Problems {
  return form.get(FIELD)?.trim() === name.trim() ? {} : { [FIELD]: `That is not the ${word}.` };
}
