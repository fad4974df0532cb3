import type { AppContext } from "../../http/endpoint.ts";
import { type FormField, storedValues } from "../form-fields.ts";
import { type EditForm, showForm, submitForm } from "../object-form.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { API, loadPage, params } from "./tab.tsx";

const PATH = "/app/pages/{id}/legal";
const ids = { params: { id: "page" } } as const;
function listFields(): FormField[] {
  const text = words("dashboard-pages").legal;
  return [
    { kind: "url", name: "imprint_url", label: text.imprint, hint: text.imprint_hint },
    { kind: "url", name: "privacy_url", label: text.privacy },
  ];
}

export const endpoints = [
  view(
    { path: PATH, summary: "Form of a page's imprint and privacy links", params, ids, permission: "page.write" },
    async (c, p) => {
      const form = await legalForm(c, p.params.id);
      return showForm(c, form, form.stored);
    },
  ),
  action({ path: PATH, summary: "Save a page's imprint and privacy links", params }, async (c, entered, { id }) => {
    const form = await legalForm(c, id);
    const sent = await submitForm(c, form, entered, { method: "PUT", path: `${API}/${id}/legal` });
    return sent.ok
      ? redirectWithNotice(`/app/pages/${id}`, words("dashboard-pages").shared.saved(sent))
      : sent.response;
  }),
];

async function legalForm(c: AppContext, id: string): Promise<EditForm> {
  const page = await loadPage(c, id);
  const [text, fields] = [words("dashboard-pages").legal, listFields()];
  return {
    title: text.title,
    section: "pages",
    trail: [{ href: `/app/pages/${id}`, text: page.name }],
    fields,
    action: `/app/pages/${id}/legal`,
    cancel: `/app/pages/${id}`,
    stored: storedValues(fields, page),
  };
}
