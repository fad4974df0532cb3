import { TOKEN_SCOPES } from "../../contract/token.ts";
import type { FormField } from "../form-fields.ts";
import type { PageChoice } from "../rights.ts";
import { words } from "../words.ts";

export function scopeName(scope: (typeof TOKEN_SCOPES)[number]): string {
  const { rights, shared } = words("dashboard-account");
  return scope === "read" ? shared.read : rights[scope];
}

/** What limits a token, and the tokens of a workflow. */

export function scopesField(hint: string): FormField {
  const text = words("dashboard-account").tokens;
  return {
    kind: "several",
    name: "scopes",
    label: text.scopes,
    hint,
    options: TOKEN_SCOPES.map((scope) => ({ value: scope, label: scopeName(scope) })),
  };
}

/** None where there is no page to choose. */
export function pagesFields(pages: readonly PageChoice[]): FormField[] {
  if (pages.length === 0) return [];
  const text = words("dashboard-account").tokens;
  return [
    {
      kind: "several",
      name: "status_page_ids",
      label: text.pages,
      hint: text.pages_hint,
      options: pages.map(({ id, name }) => ({ value: id, label: name })),
    },
  ];
}

/** What is left open limits nothing. */
export function withoutEmptyLists(entered: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
  return Object.fromEntries(Object.entries(entered).map(([name, value]) => [name, isEmpty(value) ? null : value]));
}
