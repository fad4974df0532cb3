import { ApiError, rateLimited } from "../contract/errors.ts";
import type { RateClass } from "../contract/limiter-object.ts";
import { decrementCounter, incrementCounter } from "../platform/rate-counters.ts";
import type { Settings } from "../platform/settings.ts";
import type { RequestScope } from "./scope.ts";

interface RateLimit {
  limit: number;
  window_seconds: 60 | 600 | 3600 | 86_400;
  /** What is counted: one user or agent, one network address, or one object. */
  per: "credential" | "address" | "object";
  /** Sign-in stays shut when nothing can count its attempts; everything else stays open. */
  when_uncounted: "open" | "shut";
}

const perMinute = (limit: number, per: RateLimit["per"] = "credential"): RateLimit => ({
  limit,
  window_seconds: 60,
  per,
  when_uncounted: "open",
});
const attempts = (limit: number): RateLimit => ({ ...perMinute(limit, "address"), when_uncounted: "shut" });
const perHour = (limit: number): RateLimit => ({ ...perMinute(limit), window_seconds: 3600 });

/**
 * How much of what anybody may ask for. The setting RATE_LIMITS replaces single numbers. A minute's limit at its number
 * here is counted by the platform's limiter of that size (wrangler.toml), which is fast and approximate; everything
 * else, sign-in included, by an object, which is exact.
 */
export const RATE_LIMITS = {
  api: perMinute(600),
  /** Exports, backtests, imports, statistics. */
  heavy: perMinute(20),
  webhook_test: perMinute(10),
  /** Checks on demand and trials. */
  check: perMinute(30),
  /** The same for one host, across all accounts, so that the service is no weapon against others. */
  check_host: perMinute(10, "object"),
  /** Requests of one owner's escalations to one host, other than those of the chat services. */
  contact_host: perMinute(10, "object"),
  /** Deliveries of one owner's webhooks to one host, which may be a stranger's; what is above waits. */
  delivery_host: perMinute(600, "object"),
  emit: perMinute(60, "object"),
  push: perMinute(60, "object"),
  /**
   * How often pushes may end an outage of one monitor or improve its status: as often as `push` allows in a minute, over ten.
   * Each such change is written to the database, where other pushes are not. What makes it worse is always accepted, so the
   * status errs on the side of an alarm.
   */
  push_recovery: { ...perMinute(60, "object"), window_seconds: 600 },
  agent: perMinute(300),
  /** All agents of an owner, in shares of five. */
  agent_owner: perMinute(600, "object"),
  /** Of API tokens and invitations those that are made: a refusal of the body is counted as any other request. */
  token_creation: perHour(20),
  /** A taken one reveals that an account has it, so that guesses are few; and monitors that heartbeats make by one key. */
  push_alias: perHour(100),
  invitation: perHour(20),
  /** Invitations, confirmations and verifications by one sender to one address; fewer, so that others can write to it, too. */
  sender_mail: { ...perMinute(3, "object"), window_seconds: 86_400 },
  /** The same, regardless of their cause. */
  recipient_mail: { ...perMinute(5, "object"), window_seconds: 86_400 },
  /** Codes to telephone numbers of one account; each costs the owner of a Twilio channel. */
  phone_code: { ...perMinute(5, "object"), window_seconds: 86_400 },
  /** Apart from the others, so that nobody can keep an owner from a new password by having other mail sent. */
  password_reset_mail: { ...perMinute(5, "object"), window_seconds: 86_400 },
  sign_in: attempts(10),
  /** Wrong passwords of one account, from all browsers that it does not know; mailed reset links still work. */
  account_sign_in: { limit: 200, window_seconds: 3600, per: "object", when_uncounted: "shut" },
  /** Those from one network, or from one browser that the account knows. */
  network_sign_in: { limit: 20, window_seconds: 3600, per: "object", when_uncounted: "shut" },
  /** Codes of one account's second factor; accepted ones do not count. */
  second_factor: { limit: 10, window_seconds: 3600, per: "object", when_uncounted: "shut" },
  /** Wrong passwords that a signed-in caller gives to change the account: its password, two-factor sign-in, its deletion. */
  own_password: { limit: 10, window_seconds: 3600, per: "object", when_uncounted: "shut" },
  /** Mails to the holder about those. */
  guesses_mail: { limit: 1, window_seconds: 3600, per: "object", when_uncounted: "shut" },
  accept: attempts(10),
  bad_credential: perMinute(60, "address"),
  subscribe: { ...perMinute(5, "address"), window_seconds: 600 },
  click: perMinute(30, "address"),
  /** Documents of public pages that are made for one visitor, because no cache holds them. */
  page_miss: perMinute(60, "address"),
  /** Passwords of public pages. */
  unlock: attempts(10),
  /** Connections of open pages; an office may have one address. */
  live: perMinute(600, "address"),
} satisfies Record<RateClass, RateLimit>;

/** Who sent a request, as far as it is known when it is counted. */
export type Caller = Pick<RequestScope, "env" | "settings" | "log" | "now" | "ip" | "principal">;

/** The limit that holds for a class; undefined where the operator switched it off. */
export function limitOf(settings: Settings, rateClass: RateClass): RateLimit | undefined {
  const limit = settings.RATE_LIMITS[rateClass] ?? settings.RATE_LIMITS.all ?? RATE_LIMITS[rateClass].limit;
  return limit === "off" ? undefined : { ...RATE_LIMITS[rateClass], limit };
}

/** Counts one request of this class, or throws 429. `objectId` names what a class per object counts. */
export async function requireRate(caller: Caller, rateClass: RateClass, objectId?: string): Promise<void> {
  const rate = limitOf(caller.settings, rateClass);
  if (rate) await countRequest(caller, { ...rate, rate_class: rateClass }, objectId);
}

export async function countRequest(
  caller: Caller,
  { rate_class: rateClass, ...rate }: RateLimit & { rate_class: RateClass },
  objectId: string | undefined,
): Promise<void> {
  const isDefault = rate.limit === RATE_LIMITS[rateClass].limit;
  let answer: Awaited<ReturnType<typeof incrementCounter>>;
  try {
    answer = await incrementCounter(caller.env, {
      key: `${rateClass}:${subjectOf(caller, rate.per, objectId)}`,
      limit: rate.limit,
      window_ms: rate.window_seconds * 1000,
      now: caller.now,
      exact: !isDefault || rate.window_seconds !== 60 || rate.when_uncounted === "shut",
    });
  } catch (error) {
    caller.log.error("rate limit", error, { rate_class: rateClass });
    if (rate.when_uncounted === "shut") throw rateLimited(rate.window_seconds);
    return;
  }
  if (!answer.ok) throw rateLimited(answer.retry_after_s);
}

/** Takes back an attempt that turned out to be legitimate; only for classes that stay shut when uncounted. */
export async function releaseRate(caller: Caller, rateClass: RateClass, objectId?: string): Promise<void> {
  const rate = limitOf(caller.settings, rateClass);
  if (!rate) return;
  const key = `${rateClass}:${subjectOf(caller, rate.per, objectId)}`;
  try {
    await decrementCounter(caller.env, { key, window_ms: rate.window_seconds * 1000, now: caller.now });
  } catch (error) {
    caller.log.error("rate limit", error, { rate_class: rateClass });
  }
}

/** The same for what is left out, not refused, beyond the limit. */
export function isWithinRate(caller: Caller, rateClass: RateClass, objectId?: string): Promise<boolean> {
  return isAllowed(requireRate(caller, rateClass, objectId));
}

export async function isAllowed(counting: Promise<void>): Promise<boolean> {
  try {
    await counting;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 429) return false;
    throw error;
  }
}

/** Who shares one count: all credentials of a user do, so that more tokens allow no more requests. */
function subjectOf({ principal, ip }: Caller, per: RateLimit["per"], objectId: string | undefined): string {
  if (per === "object" && objectId !== undefined) return objectId;
  if (per === "credential" && principal.kind === "user") return principal.user_id;
  if (per === "credential" && principal.kind === "agent") return principal.agent.id;
  return networkOf(ip ?? "nowhere");
}

/** An IPv6 client has a whole /64 to itself, so that is what counts as its address. */
export function networkOf(ip: string): string {
  if (!ip.includes(":")) return ip;
  const [head = "", tail] = ip.toLowerCase().split("%", 1)[0]?.split("::", 2) ?? [];
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const rest = tail === "" ? [] : tail.split(":");
    while (groups.length + rest.length < 8) groups.push("0");
    groups.push(...rest);
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}
