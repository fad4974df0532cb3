import type { AppContext } from "../http/endpoint.ts";
import { requireApi } from "./call-api.ts";
import { ConfirmByName, confirmationProblems } from "./components/confirm.tsx";
import type { Problems } from "./form-fields.ts";
import { type Section, showView, type View } from "./shell.tsx";
import { redirectWithNotice } from "./view.ts";

/** Something that is destroyed once its name was typed. */
export interface Deletion {
  /** "incident" */
  kind: string;
  name: string;
  section: Section;
  trail: NonNullable<View["trail"]>;
  /** Of the object in the dashboard; the confirmation is its `/delete`. */
  path: string;
  /** Where it is shown, if that is another view. */
  shown?: string;
  /** Where it was listed. */
  list: string;
  /** Of the object in the API. */
  api: string;
  /** What is lost with it, as a sentence. */
  lost: string;
}

export function confirmDeletion(c: AppContext, deletion: Deletion, problems: Problems = {}): Promise<Response> {
  const { kind, name, section, trail, path, shown = path, lost } = deletion;
  return showView(c, {
    title: `Delete ${name}`,
    section,
    trail: [...trail, { href: shown, text: name }],
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    ...(Object.keys(problems).length > 0 ? { status: 400 } : {}),
    children: (
      <ConfirmByName kind={kind} name={name} action={`${path}/delete`} cancel={shown} problems={problems}>
        <p>{lost}</p>
      </ConfirmByName>
    ),
  });
}

export async function deleteConfirmed(c: AppContext, deletion: Deletion, entered: URLSearchParams): Promise<Response> {
  const problems = confirmationProblems(entered, deletion.name);
  if (Object.keys(problems).length > 0) return confirmDeletion(c, deletion, problems);
  await requireApi(c, { method: "DELETE", path: deletion.api });
  return redirectWithNotice(deletion.list, `${deletion.name} is deleted.`);
}
