import { commit } from "../../access/commit.ts";
import { requireOperator } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { fieldsOfVariables, isAllowedFrom, policyOf } from "../../access/session-policy.ts";
import { conflict, invalid, raced } from "../../contract/errors.ts";
import {
  SESSION_POLICY_FIELDS,
  type SessionPolicyChange,
  type SessionPolicyField,
} from "../../contract/session-policy.ts";
import { findStoredPolicy, isPolicyChanged, type SessionPolicyRecord } from "../../data/session-policy/read.ts";
import { upsertPolicy } from "../../data/session-policy/write.ts";
import type { SessionPolicy } from "../../domain/session-policy.ts";
import { MINUTE_MS } from "../../lib/durations.ts";

export interface ShownPolicy extends SessionPolicy {
  set_by_environment: SessionPolicyField[];
}

export async function getPolicy(ctx: RequestScope): Promise<ShownPolicy> {
  requireOperator(ctx);
  return show(ctx, await findStoredPolicy(ctx.db));
}

function show({ settings }: RequestScope, stored: SessionPolicyRecord | undefined): ShownPolicy {
  return { ...policyOf(settings, stored), set_by_environment: fieldsOfVariables(settings) };
}

/** Holds for open sessions, too. Nobody shuts themselves out: their own address stays allowed. */
export async function changePolicy(ctx: RequestScope, change: SessionPolicyChange): Promise<ShownPolicy> {
  const operator = requireOperator(ctx);
  const given = SESSION_POLICY_FIELDS.filter((name) => change[name] !== undefined);
  const fixed = fieldsOfVariables(ctx.settings).find((name) => given.includes(name));
  if (fixed) throw conflict(`${fixed} is set by a variable of the service: change it there`);
  requireOwnAddress(ctx, change.allowed_networks ?? null);
  const stored = await findStoredPolicy(ctx.db);
  const record: SessionPolicyRecord = {
    session_ms: change.session_minutes === undefined ? (stored?.session_ms ?? null) : toMs(change.session_minutes),
    session_idle_ms:
      change.session_idle_minutes === undefined ? (stored?.session_idle_ms ?? null) : toMs(change.session_idle_minutes),
    second_factor: change.second_factor === undefined ? (stored?.second_factor ?? null) : change.second_factor,
    second_factor_from:
      change.second_factor_from === undefined ? (stored?.second_factor_from ?? null) : change.second_factor_from,
    allowed_networks:
      change.allowed_networks === undefined ? (stored?.allowed_networks ?? null) : change.allowed_networks,
    // Distinguishes two changes of one instant.
    updated_at: Math.max(ctx.now, (stored?.updated_at ?? 0) + 1),
  };
  await commit(ctx, [upsertPolicy(ctx.db, record)], {
    audit: {
      owner_id: operator.user_id,
      target_type: "session_policy",
      target_id: operator.user_id,
      summary: `${operator.email} changed what sessions of the service are asked`,
      data: change,
    },
    guards: [
      {
        name: "stale",
        when: isPolicyChanged(stored),
        error: raced("the session policy was changed by another request, try again"),
      },
    ],
  });
  return show(ctx, record);
}

const toMs = (minutes: number | null) => minutes && minutes * MINUTE_MS;

function requireOwnAddress({ ip }: RequestScope, networks: readonly string[] | null): void {
  if (isAllowedFrom({ allowed_networks: networks }, ip)) return;
  const message = `would shut you out: your own address${ip === null ? ", which is not known here," : ` ${ip}`} is not in them`;
  throw invalid(`allowed_networks ${message}`, [{ path: "allowed_networks", message }]);
}
