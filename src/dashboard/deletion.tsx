import type { Child } from "hono/jsx";
import { z } from "zod";
import { Notice } from "../contract/notices.ts";
import type { AppContext, Endpoint } from "../http/endpoint.ts";
import { requireApi } from "./call-api.ts";
import { ConfirmByName, confirmationProblems, type TypedWord } from "./components/confirm.tsx";
import type { FormField, Problems } from "./form-fields.ts";
import type { Section } from "./navigation.tsx";
import { showView, type View } from "./shell.tsx";
import { action, redirectWithNotice, type ViewOptions, view } from "./view.ts";
import { words } from "./words.ts";

/** Something that is destroyed once its name was typed. */
export interface Deletion {
  /** "incident" */
  kind: string;
  name: string;
  /** What `name` is, unless it is a name. */
  word?: TypedWord;
  section: Section;
  trail: NonNullable<View["trail"]>;
  /** Of the object in the dashboard; the confirmation is its `/delete`, unless `confirmation` names another address. */
  path: string;
  confirmation?: string;
  /** Where it is shown, if that is another view. */
  shown?: string;
  /** Where it was listed. */
  list: string;
  /** Of the object in the API, which is deleted; or of the operation, where `method` is another. */
  api: string;
  method?: "POST";
  /** What is lost with it, as a sentence. */
  lost: Child;
  /** What it leads to elsewhere, one a line. */
  consequences?: readonly string[];
  /** "Remove" and "removed", where "Delete" is not the word. */
  verb?: [verb: string, done: string];
  /** Of the view, where verb and name do not say what is destroyed. */
  title?: string;
  /** A flag of the operation's query, set where it is ticked. */
  option?: FormField;
  /** Instead of "… is deleted." */
  notice?: string;
}

/** An answer that warns of what the deletion leads to. */
const Noticed = z.object({ notices: z.array(Notice).default([]) });

/** What is done to it, and what it is then. */
function verbOf({ verb }: Deletion): [verb: string, done: string] {
  const text = words("dashboard-frame").deletion;
  return verb ?? [text.delete, text.deleted];
}

function confirmDeletion(c: AppContext, deletion: Deletion, problems: Problems = {}): Promise<Response> {
  const { kind, name, section, trail, path, shown = path, lost } = deletion;
  const {
    consequences = [],
    confirmation = `${path}/delete`,
    title = words("dashboard-frame").deletion.title({ verb: verbOf(deletion)[0], name }),
  } = deletion;
  const [verb] = verbOf(deletion);
  return showView(c, {
    title,
    section,
    trail: shown === deletion.list ? trail : [...trail, { href: shown, text: name }],
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    ...(Object.keys(problems).length > 0 ? { status: 400 } : {}),
    children: (
      <ConfirmByName
        kind={kind}
        word={deletion.word}
        name={name}
        verb={verb}
        problems={problems}
        option={deletion.option}
        action={confirmation}
        cancel={shown}
      >
        <p>{lost}</p>
        {consequences.length === 0 ? null : (
          <ul>
            {consequences.map((each) => (
              <li dir="auto">{each}</li>
            ))}
          </ul>
        )}
      </ConfirmByName>
    ),
  });
}

async function deleteConfirmed(c: AppContext, deletion: Deletion, entered: URLSearchParams): Promise<Response> {
  const text = words("dashboard-frame").deletion;
  const problems = confirmationProblems(entered, deletion.name, deletion.word);
  if (Object.keys(problems).length > 0) return confirmDeletion(c, deletion, problems);
  const { option, api } = deletion;
  const path = option && entered.has(option.name) ? `${api}?${option.name}=true` : api;
  const answer = await requireApi(c, { method: deletion.method ?? "DELETE", path });
  const [, done] = verbOf(deletion);
  const { notices } = Noticed.catch({ notices: [] }).parse(answer);
  const warnings = notices.map(({ message }) => text.note({ message })).join("");
  return redirectWithNotice(
    deletion.list,
    (deletion.notice ?? text.done({ name: deletion.name, verb: done })) + warnings,
  );
}

/** The form that asks for the name and its submission, under one address. */
export function confirmedDeletion<Params extends z.ZodObject>(
  options: Omit<ViewOptions<Params, z.ZodObject>, "query">,
  deletionOf: (c: AppContext, params: z.output<Params>) => Promise<Deletion>,
): Endpoint[] {
  return [
    view({ ...options, summary: `Confirm: ${options.summary}` }, async (c, { params }) =>
      confirmDeletion(c, await deletionOf(c, params)),
    ),
    action(options, async (c, entered, params) => deleteConfirmed(c, await deletionOf(c, params), entered)),
  ];
}
