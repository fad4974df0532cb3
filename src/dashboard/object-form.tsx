import type { Child } from "hono/jsx";
import { requireUser } from "../access/principal.ts";
import type { AppContext } from "../http/endpoint.ts";
import { type ApiCall, callApi, errorOf } from "./call-api.ts";
import { Fields, FormProblem } from "./components/fields.tsx";
import { PreviewButton, WithPreview } from "./components/live-preview.tsx";
import { draftKey, onceOf } from "./composer.tsx";
import {
  changedFields,
  type FormField,
  type FormValues,
  type Problems,
  readBody,
  toSentences,
  typedValues,
} from "./form-fields.ts";
import { conflictProblems, keptOf, MADE_FROM, type MaskedVersions, madeFrom, mergeEntered } from "./merge.ts";
import type { Section } from "./navigation.tsx";
import { showView, type View } from "./shell.tsx";
import { words } from "./words.ts";

/** A view that is one form about one object. */
export interface ObjectForm {
  title: string;
  section: Section;
  trail: NonNullable<View["trail"]>;
  fields: readonly FormField[];
  /** Shows the fields in an order of its own. */
  arrange?: (shown: { values: FormValues; problems: Problems }) => Child;
  action: string;
  /** Of the button that saves; null where one of the fields sends the form. */
  submit?: string | null;
  /** Buttons beside it that send the same form with another `intent`; by itself `after` the choice of that name changed. */
  intents?: readonly { intent: string; label: string; after?: string }[];
  /** One of them, whose result the script keeps as the fields are, without a reload. */
  live?: string;
  cancel: string;
  /** Shows what the form makes, in a frame beside it. */
  preview?: string;
  /** What the object has, as the form shows it: only what differs from it is sent, and what others changed meanwhile stays. */
  stored?: FormValues;
  /** Versions of what `stored` shows as `***`. */
  masked?: MaskedVersions;
  /** Fields of `stored` that the form does not show: when one changed meanwhile, its person decides anew. */
  watched?: readonly FormField[];
  /** What is typed survives leaving and loading the view again, in this tab; for texts without secrets. */
  keepsDraft?: boolean;
  /** What it publishes reaches readers: the script waits some seconds, in which it can be taken back. Sent twice it is one. */
  holds?: boolean;
  above?: Child;
  below?: Child;
}

/** Of an object that exists. */
export type EditForm = ObjectForm & Required<Pick<ObjectForm, "stored">>;

interface Shown {
  problems?: Problems;
  status?: number;
  headers?: Record<string, string>;
  /** Stands between heading and fields. */
  result?: Child;
  /** What the form was made from, when it is shown again. */
  seen?: string | undefined;
}

export function showForm(c: AppContext, form: ObjectForm, values: FormValues, shown: Shown = {}): Promise<Response> {
  const { problems = {}, status, headers, result, seen = seenOf(form) } = shown;
  const draft = form.keepsDraft ? draftKey(form.action, requireUser(c.var.ctx).user_id) : undefined;
  const isTyped = c.req.method === "POST";
  const card = (
    <FormCard
      form={form}
      draft={draft}
      seen={seen}
      isTyped={isTyped}
      values={values}
      problems={problems}
      result={result}
    />
  );
  return showView(c, {
    title: form.title,
    section: form.section,
    trail: form.trail,
    isNarrow: form.preview === undefined,
    hasFrame: form.preview !== undefined,
    hasProblem: Object.keys(problems).length > 0,
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers }),
    children: (
      <>
        {form.above}
        {form.preview === undefined ? card : <WithPreview address={form.preview}>{card}</WithPreview>}
        {form.below}
      </>
    ),
  });
}

const fieldsOf = ({ fields, watched = [] }: ObjectForm) => [...fields, ...watched];

const seenOf = (form: ObjectForm) => form.stored && madeFrom(fieldsOf(form), form.stored, form.masked);

interface FormCardProps {
  form: ObjectForm;
  /** Under which the script keeps what is typed. */
  draft: string | undefined;
  seen: string | undefined;
  isTyped: boolean;
  values: FormValues;
  problems: Problems;
  result: Child;
}

function FormCard({ form, draft, seen, isTyped, values, problems, result }: FormCardProps) {
  const text = words("dashboard-frame").form;
  return (
    <form
      method="post"
      action={form.action}
      class="card"
      data-live-intent={form.live}
      data-draft={draft}
      data-holds={form.holds ? "" : undefined}
      data-typed={isTyped ? "" : undefined}
    >
      {seen === undefined ? null : <input type="hidden" name={MADE_FROM} value={seen} />}
      <FormProblem problems={problems} />
      {form.live === undefined ? result : <div data-live-result>{result}</div>}
      <div class="fields">
        {form.arrange?.({ values, problems }) ?? <Fields fields={form.fields} values={values} problems={problems} />}
      </div>
      <p class="actions">
        {form.submit === null ? null : <button type="submit">{form.submit ?? text.save}</button>}
        {form.intents?.map(({ intent, label, after }) => (
          <button type="submit" class="second" name="intent" value={intent} formnovalidate data-after={after}>
            {label}
          </button>
        ))}
        {form.preview === undefined ? null : <PreviewButton address={form.preview} />}
        <a class="button second" href={form.cancel}>
          {text.cancel}
        </a>
      </p>
    </form>
  );
}

/** The form again with what was typed, as after a button that saves nothing. */
export function showTyped(c: AppContext, form: ObjectForm, entered: URLSearchParams, shown?: Shown): Promise<Response> {
  const seen = entered.get(MADE_FROM) ?? undefined;
  return showForm(c, form, typedValues(form.fields, entered), { seen, ...shown });
}

type Body = Record<string, unknown>;

interface Submission extends Pick<ApiCall, "method" | "path"> {
  /** What the endpoint wants besides, or instead of, the changed fields; `whole` has the others, too. */
  toBody?: (changed: Body, whole: Body) => Body;
}

/** For endpoints that want every field of the form. */
export const wholeBody = (_changed: Body, whole: Body): Body => whole;

/** `kept` says after "Saved." what others changed meanwhile. */
type Submitted = { ok: true; body: unknown; kept: string } | { ok: false; response: Response };

/** What may not be empty is sent as it was emptied, so that the endpoint refuses it. */
function readEmptied(changed: readonly FormField[], entered: URLSearchParams): Body {
  const emptied = changed.filter(({ name, required }) => required && entered.get(name)?.trim() === "");
  return Object.fromEntries(emptied.map(({ name }) => [name, ""]));
}

/** Sends the fields to the API. A refusal is the form again, with each problem beside its field. */
export async function submitForm(
  c: AppContext,
  form: ObjectForm,
  sent: URLSearchParams,
  { method, path, toBody = (body) => body }: Submission,
): Promise<Submitted> {
  const { stored = {}, watched = [] } = form;
  const merge = mergeEntered(fieldsOf(form), sent, stored, form.masked);
  const { entered, others, conflicts } = merge;
  if (conflicts.length > 0 || others.some((field) => watched.includes(field))) {
    const problems = conflictProblems(merge, stored, watched);
    return { ok: false, response: await showTyped(c, form, entered, { problems, status: 409, seen: seenOf(form) }) };
  }
  const changed = form.stored ? changedFields(form.fields, entered, stored) : form.fields;
  const emptied = form.stored ? readEmptied(changed, entered) : {};
  const body = toBody({ ...readBody(changed, entered), ...emptied }, readBody(form.fields, entered));
  const answer = await callApi(c, { method, path, body, ...(form.holds ? onceOf(sent) : {}) });
  if (answer.ok) return { ok: true, body: answer.body, kept: keptOf(merge) };
  if (answer.status === 404) throw errorOf(answer);
  const { status, headers } = answer;
  const problems = toSentences(form.fields, answer.problems);
  return { ok: false, response: await showTyped(c, form, sent, { problems, status, headers }) };
}
