import { FormProblem } from "../components/fields.tsx";

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
  return (
    <form method="post" action={WATCH_PATH} class="card one-field">
      <FormProblem problems={problem === undefined ? {} : { "": problem }} />
      <label for="what">{isAlone ? "Addresses, hosts or schedules" : "What should we watch?"}</label>
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
        <button type="submit">Check it</button>
      </div>
      <p class="hint" id="what-hint">
        A website, a host with a port such as db.example.com:5432, a mail server, @example.com for its mail, the cron
        line of a job such as 0 3 * * *. Several at once: a list, CSV, bookmarks, a sitemap or a zone file.{" "}
        <a href="/app/move">Move from another tool</a>
      </p>
    </form>
  );
}
