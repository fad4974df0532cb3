import type { Child } from "hono/jsx";
import { Fields, FormProblem } from "./components/fields.tsx";
import { Preview } from "./components/preview.tsx";
import type { FormField, FormValues, Problems } from "./form-fields.ts";
import { formatDistance } from "./formats.ts";
import { words } from "./words.ts";

/** What an update is written about: an incident or a maintenance window, its newest update first. */
interface Subject<Status extends string = string> {
  status: Status;
  is_public: boolean;
  updates: readonly { id: string; created_at: string }[];
}

/** What changed between the moment a form was made and the one it was sent. */
export interface Meanwhile {
  /** Sentences for the person who wrote. */
  text: string;
  /** Ended, so that an update with another status would begin it again. */
  hasEnded: boolean;
}

/**
 * What the writer of an update saw, in one field of the form. Acknowledgements, titles and the like are no reason to write
 * something else, and so no part of it.
 */
export function seenOf({ status, is_public, updates }: Subject): string {
  return [status, is_public ? "public" : "private", updates[0]?.id ?? ""].join(" ");
}

/** Given by the script, so that an update that it sends twice is posted once. */
export function onceOf(entered: URLSearchParams): { idempotency_key?: string } {
  const once = entered.get("once");
  return once !== null && /^[0-9a-f]{32}$/.test(once) ? { idempotency_key: once } : {};
}

/** Whether what the script sends again, because it does not know the answer, is among what its writer had not seen. */
export function hasArrived(
  entered: URLSearchParams,
  { updates }: { updates: readonly { id: string; message: string }[] },
): boolean {
  const last = entered.get("seen")?.split(" ")[2];
  const seen = updates.findIndex(({ id }) => id === last);
  const unseen = seen === -1 ? updates : updates.slice(0, seen);
  const toLines = (text: string) => text.replaceAll("\r\n", "\n").trim();
  const message = toLines(entered.get("message") ?? "");
  return entered.has("again") && unseen.some((update) => toLines(update.message) === message);
}

export function statusSeen(seen: string): string {
  return seen.split(" ")[0] ?? "";
}

interface Present<Status extends string> {
  subject: Subject<Status>;
  /** The status that ends it. */
  end: Status;
  wordOf(status: Status): string;
  /** Its status changes by updates alone, so that the newest one says when. */
  movesByUpdates: boolean;
  now: number;
}

/** Null where all is as the writer saw it. A form without the field, as a program sends one, saw nothing. */
export function changedMeanwhile<Status extends string>(
  seen: string | null,
  { subject, end, wordOf, movesByUpdates, now }: Present<Status>,
): Meanwhile | null {
  if (seen === null || seen === "" || seen === seenOf(subject)) return null;
  const [status = "", visibility, update = ""] = seen.split(" ");
  const newest = subject.updates[0];
  const text = words("dashboard-incidents").composer.meanwhile;
  const at = newest ? shortAgo(Date.parse(newest.created_at), now) : text.at;
  const sentences: string[] = [];
  if (status !== subject.status) {
    const when = movesByUpdates ? at : text.at;
    const state = wordOf(subject.status);
    sentences.push(subject.status === end ? text.ended({ end, when }) : text.moved({ state, when }));
  } else if (newest && newest.id !== update) sentences.push(text.updated({ when: at }));
  if ((visibility === "public") !== subject.is_public) {
    sentences.push(subject.is_public ? text.published : text.unpublished);
  }
  // What was posted and deleted again leaves nothing to say.
  if (sentences.length === 0) return null;
  return { text: sentences.join(" "), hasEnded: subject.status === end && status !== end };
}

function shortAgo(at: number, now: number): string {
  const seconds = Math.floor((now - at) / 1000);
  return seconds < 60
    ? words("dashboard-incidents").composer.meanwhile.seconds_ago({ n: Math.max(seconds, 0) })
    : formatDistance(at, now);
}

export interface ComposerState {
  values: FormValues;
  problems: Problems;
  /** The update as readers will see it. */
  preview: string | null;
  /** Why it was not posted although nothing is wrong with it. */
  meanwhile: Meanwhile | null;
  /** The form is shown again with what was typed. */
  isTyped: boolean;
}

interface ComposerProps extends ComposerState {
  action: string;
  fields: readonly FormField[];
  subject: Subject;
  /** Who writes: drafts are theirs alone. */
  writer: string;
  /** Of a window, which an update does not begin again, there is none. */
  mayReopen?: boolean;
  children?: Child;
}

/** The form of an update. With a script a draft survives every reload of the document. */
export function Composer({ action, fields, subject, writer, mayReopen = false, children, ...state }: ComposerProps) {
  const text = words("dashboard-incidents").composer;
  const { values, problems, preview, meanwhile, isTyped } = state;
  return (
    <section class="card" aria-labelledby="update">
      <h2 id="update">{text.title}</h2>
      {children}
      <form
        method="post"
        action={action}
        data-holds
        data-draft={draftKey(action, writer)}
        data-typed={isTyped ? "" : undefined}
      >
        <input type="hidden" name="seen" value={seenOf(subject)} />
        <FormProblem problems={problems} />
        {meanwhile === null ? null : (
          <p class="problem banner is-bad" role="alert" tabindex={-1} autofocus>
            {text.kept({ reason: meanwhile.text })}
          </p>
        )}
        {preview === null ? null : <Preview text={preview} />}
        <div class="fields">
          <Fields fields={fields} values={values} problems={problems} />
        </div>
        <p class="actions">
          {meanwhile?.hasEnded ? (
            <>
              <button type="submit" name="intent" value="note">
                {text.note}
              </button>
              {mayReopen ? (
                <button type="submit" class="second" name="intent" value="reopen">
                  {text.reopen}
                </button>
              ) : null}
            </>
          ) : (
            <button type="submit">{text.post}</button>
          )}
          <button type="submit" class="second" name="intent" value="preview" formnovalidate>
            {text.preview}
          </button>
        </p>
      </form>
    </section>
  );
}

/** Under which the script keeps what is typed into a form. */
export const draftKey = (action: string, writer: string) => `${action} ${writer}`;
