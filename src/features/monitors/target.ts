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
  /** No check of it begins at the edge. */
  isAgentsAlone: boolean;
}

/** The target as it is kept. Throws when it does not suit its type, or cannot be reached from where it is checked. */
export function decideTarget(ctx: RequestScope, { type, fields, target, isAgentsAlone }: Given): DecidedTarget {
  if (fields.source === "push" || fields.source === "computed") return { target: null, is_internal: false };
  if (target === null || target === "") throw refusal("target is required");
  const parsed = parseTarget(type, target);
  if (!parsed.ok) throw refusal(`target ${parsed.reason}`);
  const destination = destinationOf(type, parsed.value, fields.read);
  if (!destination) return { target: parsed.value, is_internal: false };
  const verdict = checkGiven(ctx, destination, "check");
  if (!verdict.ok && !isAgentsAlone) {
    throw refusal(`target cannot be checked from here without agent_id: ${verdict.reason}`);
  }
  const refused = requestsOf(type, parsed.value, fields.read)
    .map((url) => checkGiven(ctx, url, "check"))
    .find(({ ok }) => !ok);
  if (refused && !refused.ok && !isAgentsAlone) {
    throw refusal(`steps cannot be checked from here without agent_id: ${refused.reason}`, "steps");
  }
  return { target: parsed.value, is_internal: !verdict.ok || refused !== undefined };
}

function refusal(message: string, path = "target") {
  const detail: ErrorDetail = { path, message };
  return invalid(message, [detail]);
}

/**
 * The host that each request of a check reaches, as a limit counts them; a type that reaches none in particular is counted
 * by its target.
 */
export function checkedHosts(type: MonitorType, target: string, options: unknown): string[] {
  const read = monitorType(type).options.safeParse(options);
  if (!read.success) return [hostOf(target)];
  const requests = requestsOf(type, target, read.data);
  if (requests.length > 0) return requests.map(({ hostname }) => hostOf(hostname));
  const destination = destinationOf(type, target, read.data);
  return [hostOf(destination === null ? target : destination instanceof URL ? destination.hostname : destination.host)];
}

const hostOf = (name: string) => name.toLowerCase().replace(/\.$/, "");

/** Whether it is an address of the host itself or of its network. */
export function isPrivateTarget(type: MonitorType, target: string | null): boolean {
  const [host = ""] = target === null ? [] : checkedHosts(type, target, {});
  const address = addressOf(host);
  return host === "localhost" || (address !== null && notPublic(address) !== null);
}

/** What the guard has to check; null where nothing is reached. */
function destinationOf(type: MonitorType, target: string, options: unknown): Destination | null {
  const targets = targetsOf(type);
  const parsed = targets?.parseTarget(target);
  return targets && parsed?.ok ? targets.destination(parsed.value, options) : null;
}

/** Of a check that sends several requests, where each goes. */
function requestsOf(type: MonitorType, target: string, options: unknown): readonly URL[] {
  const { probe } = monitorType(type);
  const parsed = probe?.parseTarget(target);
  return (parsed?.ok && probe?.requests?.(parsed.value, options)) || [];
}
