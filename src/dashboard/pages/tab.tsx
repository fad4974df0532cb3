import type { Child } from "hono/jsx";
import { z } from "zod";
import { requireVisiblePage } from "../../access/pages.ts";
import { hasPermission, type Permission } from "../../domain/roles.ts";
import { presentPage } from "../../features/status-pages/present.ts";
import { getPage } from "../../features/status-pages/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { type ApiCall, callApi, errorOf } from "../call-api.ts";
import { type FormField, type FormValues, toSentences, typedValues } from "../form-fields.ts";
import { conflictProblems, keptOf, MADE_FROM, madeFrom, mergeEntered } from "../merge.ts";
import { showView } from "../shell.tsx";
import { type Forms, type Page, type PageTab, pageTabView } from "./views.tsx";

/** What the views about one page share. */
export const V1 = "/api/uptime/v1";
export const API = `${V1}/status-pages`;
export const LIST_MAX = 500;
export const params = z.object({ id: z.uuid() });
export const ids = { params: { id: "page:see" } } as const;

export interface Refused extends Forms {
  status: number;
  headers: Record<string, string>;
}

/** What a tab is drawn from: the page, and what the caller may do on it. */
export interface TabContext {
  page: Page;
  may(right: Permission): boolean;
}

export async function loadPage(c: AppContext, id: string): Promise<Page> {
  return presentPage(await getPage(c.var.ctx, id));
}

interface Tab {
  id: string;
  tab: PageTab;
  refused?: Refused | undefined;
  hasFrame?: boolean;
}

export async function showTab(
  c: AppContext,
  { id, tab, refused, hasFrame = false }: Tab,
  render: (shown: TabContext) => Child,
): Promise<Response> {
  const [page, { membership }] = await Promise.all([loadPage(c, id), requireVisiblePage(c.var.ctx, id)]);
  const children = render({ page, may: (right) => hasPermission(membership, right) });
  const shown = refused && { problems: refused.problems, status: refused.status, headers: refused.headers };
  return showView(c, pageTabView({ page, tab, children, hasFrame, ...shown }));
}

/** undefined: the API accepted it. */
export async function sendForm(
  c: AppContext,
  fields: readonly FormField[],
  entered: URLSearchParams,
  call: ApiCall,
): Promise<Refused | undefined> {
  const answer = await callApi(c, call);
  if (answer.ok) return undefined;
  if (answer.status === 404) throw errorOf(answer);
  const { status, headers } = answer;
  return { values: typedValues(fields, entered), problems: toSentences(fields, answer.problems), status, headers };
}

/** The form as it is stored, or as it was sent and refused. */
export function shownForm(fields: readonly FormField[], stored: FormValues, refused: Refused | undefined): Forms {
  return {
    values: refused?.values ?? stored,
    problems: refused?.problems ?? {},
    seen: refused?.seen ?? madeFrom(fields, stored),
  };
}

interface StoredForm {
  fields: readonly FormField[];
  /** As the form would show it now. */
  stored: FormValues;
  sent: URLSearchParams;
  method?: "PUT" | "PATCH";
  path: string;
  toBody(entered: URLSearchParams): unknown;
}

/** Saves a form about something that exists; `kept` says after "Saved." what others changed meanwhile. */
export async function saveForm(
  c: AppContext,
  { fields, stored, sent, method = "PUT", path, toBody }: StoredForm,
): Promise<{ refused: Refused } | { refused?: undefined; kept: string }> {
  const merge = mergeEntered(fields, sent, stored);
  if (merge.conflicts.length > 0) {
    const values = typedValues(fields, merge.entered);
    const problems = conflictProblems(merge, stored);
    return { refused: { values, problems, status: 409, headers: {}, seen: madeFrom(fields, stored) } };
  }
  const refused = await sendForm(c, fields, sent, { method, path, body: toBody(merge.entered) });
  return refused ? { refused: { ...refused, seen: sent.get(MADE_FROM) ?? undefined } } : { kept: keptOf(merge) };
}
