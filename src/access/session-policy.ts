import { ApiError } from "../contract/errors.ts";
import type { SessionPolicyField } from "../contract/session-policy.ts";
import { findStoredPolicy, type SessionPolicyRecord } from "../data/session-policy/read.ts";
import type { SessionLimits } from "../data/sessions/read.ts";
import type { SessionPolicy } from "../domain/session-policy.ts";
import { DAY_MS } from "../lib/durations.ts";
import { isInNetworks } from "../platform/egress/address.ts";
import type { Settings } from "../platform/settings.ts";
import type { UserPrincipal } from "./principal.ts";
import type { CallScope, Scope } from "./scope.ts";

const DEFAULTS: SessionPolicy = {
  session_ms: 30 * DAY_MS,
  session_idle_ms: 7 * DAY_MS,
  second_factor: "optional",
  second_factor_from: null,
  allowed_networks: null,
};

/** What variables of the service set; operators set the rest in the dashboard or by the API. */
function variablesOf(settings: Settings): { [Name in keyof SessionPolicy]: SessionPolicy[Name] | undefined } {
  const { SESSION_MS, SESSION_IDLE_MS, SECOND_FACTOR, SECOND_FACTOR_FROM, SESSION_NETWORKS } = settings;
  return {
    session_ms: SESSION_MS,
    session_idle_ms: SESSION_IDLE_MS,
    second_factor: SECOND_FACTOR,
    second_factor_from: SECOND_FACTOR_FROM,
    allowed_networks: SESSION_NETWORKS.length > 0 ? SESSION_NETWORKS : undefined,
  };
}

/** Each part has one source: the variable where there is one, else what operators set, else the default. */
export function policyOf(settings: Settings, stored: SessionPolicyRecord | null | undefined): SessionPolicy {
  const variables = variablesOf(settings);
  return {
    session_ms: variables.session_ms ?? stored?.session_ms ?? DEFAULTS.session_ms,
    session_idle_ms: variables.session_idle_ms ?? stored?.session_idle_ms ?? DEFAULTS.session_idle_ms,
    second_factor: variables.second_factor ?? stored?.second_factor ?? DEFAULTS.second_factor,
    second_factor_from: variables.second_factor_from ?? stored?.second_factor_from ?? DEFAULTS.second_factor_from,
    allowed_networks: variables.allowed_networks ?? stored?.allowed_networks ?? DEFAULTS.allowed_networks,
  };
}

/** What no request changes, by the names of the API. */
export function fieldsOfVariables(settings: Settings): SessionPolicyField[] {
  const { session_ms, session_idle_ms, ...others } = variablesOf(settings);
  const named = { session_minutes: session_ms, session_idle_minutes: session_idle_ms, ...others };
  // Made from the names above.
  return (Object.keys(named) as SessionPolicyField[]).filter((name) => named[name] !== undefined);
}

export async function readPolicy({ db, settings }: Pick<Scope, "db" | "settings">): Promise<SessionPolicy> {
  return policyOf(settings, await findStoredPolicy(db));
}

export function limitsOf({ session_ms, session_idle_ms }: SessionPolicy, now: number): SessionLimits {
  return { idle_since: now - session_idle_ms, begun_before: now - session_ms };
}

export function isAllowedFrom({ allowed_networks }: Pick<SessionPolicy, "allowed_networks">, ip: string | null) {
  return allowed_networks === null || (ip !== null && isInNetworks(ip, allowed_networks));
}

/** Throws 403 where people may not sign in from the caller's address. */
export function requireAllowedAddress(policy: SessionPolicy, { ip }: Pick<CallScope, "ip">): void {
  if (isAllowedFrom(policy, ip)) return;
  throw new ApiError(403, "an operator of this service does not let people sign in from your address", {
    code: "network_not_allowed",
  });
}

/** Whether the session of the caller can only set up the second factor that is required of it. */
export function lacksSecondFactor({ second_factor_due }: UserPrincipal, now: number): boolean {
  return second_factor_due != null && second_factor_due <= now;
}
