import { FormProblem } from "../components/fields.tsx";
import { words } from "../words.ts";

export const WATCH_PATH = "/app/monitors/watch";

interface OneFieldProps {
  /** What was entered before. */
  value?: string;
  /** As a sentence. */
  problem?: string | undefined;
  /** The view is about nothing else. */
  isAlone?: boolean;
}

/** Takes what a person has at hand; type, name and everything else follow from it. */
export function OneField({ value = "", problem, isAlone = false }: OneFieldProps) {
  const text = words("dashboard-monitors").one_field;
  return (
    <form method="post" action={WATCH_PATH} class="card one-field">
      <FormProblem problems={problem === undefined ? {} : { "": problem }} />
      <label for="what">{isAlone ? text.label : text.title}</label>
      <div class="one-field-row">
        <textarea
          id="what"
          name="what"
          rows={isAlone ? 5 : 1}
          required
          placeholder="example.com"
          aria-describedby="what-hint"
          autocapitalize="none"
          spellcheck={false}
          dir="auto"
          autofocus={isAlone}
          data-enter-submits={isAlone ? undefined : ""}
        >
          {value}
        </textarea>
        <button type="submit">{text.check}</button>
      </div>
      <p class="hint" id="what-hint">
        {text.hint.parts({ link: <a href="/app/move">{text.move}</a> })}
      </p>
    </form>
  );
}
