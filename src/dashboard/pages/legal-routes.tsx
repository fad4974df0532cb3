import type { AppContext } from "../../http/endpoint.ts";
import { type FormField, storedValues } from "../form-fields.ts";
import { type EditForm, showForm, submitForm } from "../object-form.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { API, loadPage, params } from "./tab.tsx";

const PATH = "/app/pages/{id}/legal";
const ids = { params: { id: "page" } } as const;
const FIELDS: readonly FormField[] = [
  { kind: "url", name: "imprint_url", label: "Imprint", hint: "who runs the page, where the law asks for it" },
  { kind: "url", name: "privacy_url", label: "Privacy policy" },
];

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
    return sent.ok ? redirectWithNotice(`/app/pages/${id}`, `Saved.${sent.kept}`) : sent.response;
  }),
];

async function legalForm(c: AppContext, id: string): Promise<EditForm> {
  const page = await loadPage(c, id);
  return {
    title: "Imprint and privacy",
    section: "pages",
    trail: [{ href: `/app/pages/${id}`, text: page.name }],
    fields: FIELDS,
    action: `/app/pages/${id}/legal`,
    cancel: `/app/pages/${id}`,
    stored: storedValues(FIELDS, page),
  };
}
