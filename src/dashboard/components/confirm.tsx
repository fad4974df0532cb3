import type { Child } from "hono/jsx";
import type { FormField, Problems } from "../form-fields.ts";
import { words } from "../words.ts";
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
  verb,
  children,
  option,
  action,
  cancel,
  problems,
}: ConfirmByNameProps) {
  const text = words("dashboard-frame").confirm;
  return (
    <form method="post" action={action} class="card">
      <FormProblem problems={problems} />
      <div class="lead">{children}</div>
      <p>{text.type.parts({ name: <strong dir="auto">{name}</strong> })}</p>
      <FieldRow
        field={{ name: FIELD, kind: "text", label: text.label[word]({ kind }), required: true }}
        values={{}}
        problems={problems}
      />
      {option ? <FieldRow field={option} values={{}} problems={problems} /> : null}
      <p class="actions">
        <button type="submit" class="danger">
          {verb ?? words("dashboard-frame").deletion.delete}
        </button>
        <a class="button second" href={cancel}>
          {text.cancel}
        </a>
      </p>
    </form>
  );
}

/** Empty where the name was typed. */
export function confirmationProblems(form: URLSearchParams, name: string, word: TypedWord = "name"): Problems {
  const text = words("dashboard-frame").confirm;
  return form.get(FIELD)?.trim() === name.trim() ? {} : { [FIELD]: text.wrong[word] };
}
