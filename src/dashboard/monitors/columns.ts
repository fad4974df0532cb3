import { readCookie } from "../cookies.ts";

/** What the list shows of a monitor besides its name and status, in order. */
export const COLUMNS = ["day", "uptime", "trend", "latest"] as const;
export type Column = (typeof COLUMNS)[number];

/** The columns that a person does without, in this browser. */
const COOKIE = "vigil_hidden_columns";
const YEAR_S = 365 * 86_400;

const isColumn = (name: string): name is Column => COLUMNS.some((column) => column === name);

export function hiddenColumns(request: Request): ReadonlySet<Column> {
  return new Set((readCookie(request, COOKIE) ?? "").split(".").filter(isColumn));
}

/** Of a form that names the columns that are shown. */
export function columnsCookie(shown: readonly string[]): string {
  const hidden = COLUMNS.filter((name) => !shown.includes(name));
  return `${COOKIE}=${hidden.join(".")}; Path=/app; HttpOnly; SameSite=Lax; Max-Age=${YEAR_S}`;
}
