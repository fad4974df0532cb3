import type { RequestScope } from "../../access/scope.ts";
import { type ErrorDetail, invalid } from "../../contract/errors.ts";
import type { MonitorType } from "../../contract/monitor-values.ts";
import { addressOf, notPublic } from "../../platform/egress/address.ts";
import { checkGiven, type Destination } from "../../platform/egress/guard.ts";
import { monitorType, parseTarget, targetsOf } from "../../probes/registry.ts";
import type { TypeFields } from "./fields.ts";

export interface DecidedTarget {
  target: string | null;
  is_internal: boolean;
}

interface Given {
  type: MonitorType;
  fields: TypeFields;
  target: string | null;
  agent_id: string | null;
}

/** The target as it is kept. Throws when it does not suit its type, or cannot be reached from where it is checked. */
export function decideTarget(ctx: RequestScope, { type, fields, target, agent_id }: Given): DecidedTarget {
  if (fields.source === "push" || fields.source === "computed") return { target: null, is_internal: false };
  if (target === null || target === "") throw refusal("target is required");
  const parsed = parseTarget(type, target);
  if (!parsed.ok) throw refusal(`target ${parsed.reason}`);
  const destination = destinationOf(type, parsed.value, fields.read);
  if (!destination) return { target: parsed.value, is_internal: false };
  const verdict = checkGiven(ctx, destination, "check");
  if (!verdict.ok && agent_id === null) {
    throw refusal(`target cannot be checked from here without agent_id: ${verdict.reason}`);
  }
  return { target: parsed.value, is_internal: !verdict.ok };
}

function refusal(message: string) {
  const detail: ErrorDetail = { path: "target", message };
  return invalid(message, [detail]);
}

/** The host that a check reaches, as a limit counts it; a type that reaches none in particular is counted by its target. */
export function checkedHost(type: MonitorType, target: string, options: unknown): string {
  const read = monitorType(type).options.safeParse(options);
  const destination = read.success ? destinationOf(type, target, read.data) : null;
  const host = destination === null ? target : destination instanceof URL ? destination.hostname : destination.host;
  return host.toLowerCase().replace(/\.$/, "");
}

/** Whether it is an address of the host itself or of its network. */
export function isPrivateTarget(type: MonitorType, target: string | null): boolean {
  const host = target === null ? "" : checkedHost(type, target, {});
  const address = addressOf(host);
  return host === "localhost" || (address !== null && notPublic(address) !== null);
}

/** What the guard has to check; null where nothing is reached. */
function destinationOf(type: MonitorType, target: string, options: unknown): Destination | null {
  const targets = targetsOf(type);
  const parsed = targets?.parseTarget(target);
  return targets && parsed?.ok ? targets.destination(parsed.value, options) : null;
}
