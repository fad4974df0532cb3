import { TOKEN_SCOPES } from "../../contract/token.ts";
import type { FormField } from "../form-fields.ts";
import type { PageChoice } from "../rights.ts";
import { RIGHT_NAMES } from "../team/views.tsx";

/** What limits a token, and the tokens of a workflow. */
export function scopesField(hint: string): FormField {
  return {
    kind: "several",
    name: "scopes",
    label: "Scopes",
    hint,
    options: TOKEN_SCOPES.map((scope) => ({ value: scope, label: scope === "read" ? "Read" : RIGHT_NAMES[scope] })),
  };
}

/** None where there is no page to choose. */
export function pagesFields(pages: readonly PageChoice[]): FormField[] {
  if (pages.length === 0) return [];
  return [
    {
      kind: "several",
      name: "status_page_ids",
      label: "Status pages",
      hint: "The token reaches what is on these. None chosen: everything.",
      options: pages.map(({ id, name }) => ({ value: id, label: name })),
    },
  ];
}

/** What is left open limits nothing. */
export function withoutEmptyLists(entered: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
  return Object.fromEntries(Object.entries(entered).map(([name, value]) => [name, isEmpty(value) ? null : value]));
}
