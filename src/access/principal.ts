import { forbidden, unauthenticated } from "../contract/errors.ts";
import type { Plan } from "../contract/plan.ts";
import type { AgentRecord, InstallTokenRecord } from "../data/agents/read.ts";
import type { TokenLimits } from "../domain/token-limits.ts";
import type { PushCredential } from "../platform/push-tokens.ts";

export interface UserPrincipal {
  kind: "user";
  user_id: string;
  email: string;
  name: string;
  plan: Plan;
  beta: boolean;
  /** Whether a secret that only the address received was presented. */
  is_verified: boolean;
  is_operator: boolean;
  /** The API token that was presented; null for a dashboard session. */
  token_id: string | null;
  /** What that token may do less than its user. */
  token_limits: TokenLimits | null;
  /** The dashboard session whose cookie was presented; null for an API token. */
  session_id: string | null;
  /** From when on the session can only set up a second factor; null or absent where that is not asked of it. */
  second_factor_due?: number | null;
  /** Whether the caller is a member of another account's page; absent where it was not read with the credential. */
  is_member?: boolean;
}

/** An agent that presents its own credential. */
export interface AgentPrincipal {
  kind: "agent";
  agent: AgentRecord;
  /** Of the agent's owner. */
  plan: Plan;
  /** Event rules of the agent's page may listen to its metrics. */
  evaluates_rules: boolean;
}

/** The bearer of an install token, who may enrol one agent. */
export interface InstallPrincipal {
  kind: "install";
  grant: InstallTokenRecord;
}

/** The bearer of a heartbeat token or push key that was minted here; whether it still holds, the monitor's object says. */
export interface PushPrincipal extends PushCredential {
  kind: "push";
}

export type Principal =
  | UserPrincipal
  | AgentPrincipal
  | InstallPrincipal
  | PushPrincipal
  | { kind: "system" }
  | { kind: "anonymous" };

/** The signed-in user; endpoints with `auth: "user"` always have one. */
export function requireUser(ctx: { principal: Principal }): UserPrincipal {
  if (ctx.principal.kind !== "user") throw unauthenticated();
  return ctx.principal;
}

/** The signed-in user, who operates the installation. */
export function requireOperator(ctx: { principal: Principal }): UserPrincipal {
  const user = requireUser(ctx);
  if (!user.is_operator) throw forbidden("this needs an account of an operator of the installation");
  return user;
}

/** The calling agent; endpoints with `auth: "agent"` always have one. */
export function requireCallingAgent(ctx: { principal: Principal }): AgentPrincipal {
  if (ctx.principal.kind !== "agent") throw unauthenticated();
  return ctx.principal;
}

/** What the install token grants; endpoints with `auth: "install"` always have one. */
export function requireInstallToken(ctx: { principal: Principal }): InstallTokenRecord {
  if (ctx.principal.kind !== "install") throw unauthenticated();
  return ctx.principal.grant;
}

/** What a push was sent with; endpoints for pushes always have one. */
export function requirePushCredential(ctx: { principal: Principal }): PushPrincipal {
  if (ctx.principal.kind !== "push") throw unauthenticated();
  return ctx.principal;
}
