import type { MonitorRecord } from "../data/monitors/read.ts";
import type { AuditSubject } from "./audited-write.ts";

/** For verbs that do something to one monitor; `verb` stands before its name. */
export function monitorAudit(
  monitor: Pick<MonitorRecord, "id" | "name" | "owner_id" | "status_page_id">,
  verb: string,
  data?: Record<string, unknown>,
): AuditSubject {
  const { id, name, owner_id, status_page_id } = monitor;
  const summary = `${verb} monitor "${name}"`;
  return { owner_id, target_type: "monitor", target_id: id, monitor_id: id, status_page_id, summary, data };
}
