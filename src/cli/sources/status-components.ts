import { NAME_LENGTH_MAX } from "../../contract/common.ts";
import type { INCIDENT_SEVERITIES } from "../../contract/monitor-values.ts";
import type { Draft, Remarks } from "./draft.ts";

/** What status pages of other tools have that nothing checks: components, and texts about them. */

const TEXT_LENGTH_MAX = 10_000;
/** The longest interval of a heartbeat; it is off anyhow. */
const DAY_S = 86_400;

export type Severity = (typeof INCIDENT_SEVERITIES)[number];

/**
 * People or other programs say how a component is. Here it is a heartbeat that is off: it has its place on the page and in
 * past incidents, and waits for somebody who says what checks it.
 */
export function addComponent(
  draft: Draft,
  { name, page, group }: { name: string; page: string; group: string | undefined },
  remarks: Remarks,
): string | null {
  remarks.changes("nothing checks it there: a heartbeat that is off, until you make a monitor of it or report to it");
  const place = { status_page: page, ...(group !== undefined && { group }) };
  return draft.addMonitor(name, { type: "heartbeat", interval: DAY_S, paused: true, ...place }, remarks);
}

export interface Entry {
  at: string;
  status: string;
  text: string;
}

/** What was written then, oldest first, with its times: entries that are made now would have the time of the import. */
export function describeEntries(entries: readonly Entry[], remarks: Remarks): string {
  const ordered = [...entries].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const text = ordered
    .map(({ at, status, text }) => {
      const time = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
      return `**${time}${status === "" ? "" : `, ${status}`}**\n\n${text}`;
    })
    .join("\n\n");
  if (text.length <= TEXT_LENGTH_MAX) return text;
  remarks.changes(`its texts are cut after ${TEXT_LENGTH_MAX} characters`);
  return text.slice(0, TEXT_LENGTH_MAX);
}

export function titleOf(name: string, remarks: Remarks): string {
  if (name.length > NAME_LENGTH_MAX) remarks.changes(`its title is cut after ${NAME_LENGTH_MAX} characters`);
  return name.slice(0, NAME_LENGTH_MAX);
}

/** As other tools write it, with or without an offset; undefined where it is none. Without an offset it is UTC. */
export function instantOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const hasOffset = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const at = Date.parse(hasOffset ? text : `${text.replace(" ", "T")}Z`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
