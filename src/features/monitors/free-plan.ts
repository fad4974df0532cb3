import type { RequestScope } from "../../access/scope.ts";
import { planLimit } from "../../contract/errors.ts";
import { asksEdge } from "../../contract/location.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { readFleetLoad } from "../../data/usage/read.ts";
import { findFreePlanViolation, type WantedMonitor } from "../../domain/free-plan.ts";
import { isRecord } from "../../lib/is-record.ts";
import { handshakesItself } from "../../probes/registry.ts";
import { stepsOf, type TypeFields } from "./fields.ts";

type Columns = Pick<MonitorRecord, "type" | "interval"> & Parameters<typeof asksEdge>[0];

/**
 * On the Workers Free plan an installation holds as much as a day of it carries, across all accounts: what is above
 * would end the checks of all of them. `currentId` is the monitor that a change replaces.
 */
export async function requireRoomOnFreePlan(
  { db, settings }: RequestScope,
  wanted: { columns: Columns; fields: TypeFields },
  currentId: string | undefined,
): Promise<void> {
  if (settings.PLAN !== "free") return;
  const violation = findFreePlanViolation(describe(wanted), await readFleetLoad(db, currentId ?? ""));
  if (violation !== null) throw planLimit(violation);
}

function describe({ columns, fields }: { columns: Columns; fields: TypeFields }): WantedMonitor {
  const { type, interval } = columns;
  const isChecked = fields.source === "edge" && asksEdge(columns);
  const read = isRecord(fields.read) ? fields.read : {};
  return {
    // A schedule has at most one heartbeat a minute, and usually far fewer.
    interval: type === "heartbeat" && typeof read.expected_interval === "number" ? read.expected_interval : interval,
    load: isChecked ? "check" : type === "heartbeat" ? "heartbeat" : "none",
    needs_tls: handshakesItself(type, fields.read),
    has_steps: stepsOf(fields.options).length > 0,
  };
}
