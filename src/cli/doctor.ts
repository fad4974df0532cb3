import type { Api } from "./api.ts";

export interface Finding {
  subject: string;
  isWell: boolean;
  detail: string;
}

/** A clock that is further off makes links and codes expire early. */
const CLOCK_MAX_MS = 30_000;
const TICK_MAX_S = 180;

interface Health {
  status: string;
  version: string;
  checks: Record<string, string>;
  scheduler: { last_tick_age_s: number | null };
  time: string;
}

/** Looks at a service from where its operator is: what it says of itself, and what only somebody outside can see. */
export async function examine(api: Api, input: { now: () => number }): Promise<Finding[]> {
  const asked = input.now();
  const health = (await api.call("GET", "/health")) as Health;
  const half = (input.now() - asked) / 2;
  const offset = Math.round(Date.parse(health.time) - asked - half);
  const tick = health.scheduler.last_tick_age_s;
  const me = (await api.call("GET", "/overview")) as { checks_delayed_since: string | null };
  const webhooks = await api.list("/webhooks");
  const failing = webhooks.filter((webhook) => webhook.failing_since || webhook.disabled_reason);
  return [
    { subject: "service", isWell: health.status === "ok", detail: `${health.status}, version ${health.version}` },
    ...Object.entries(health.checks).map(([subject, state]) => ({ subject, isWell: state === "ok", detail: state })),
    {
      subject: "minute",
      isWell: tick !== null && tick <= TICK_MAX_S,
      detail: tick === null ? "has never run" : `last ran ${tick} s ago`,
    },
    {
      subject: "checks",
      isWell: me.checks_delayed_since === null,
      detail: me.checks_delayed_since === null ? "on time" : `late since ${me.checks_delayed_since}`,
    },
    { subject: "clock", isWell: Math.abs(offset) <= CLOCK_MAX_MS, detail: `${offset} ms from this machine's` },
    {
      subject: "address",
      isWell: api.url.startsWith("https://") || /^http:\/\/(127\.|localhost|\[::1\])/.test(api.url),
      detail: api.url.startsWith("https://") ? "encrypted" : "not encrypted: tokens travel in the clear",
    },
    {
      subject: "webhooks",
      isWell: failing.length === 0,
      detail: failing.length === 0 ? `${webhooks.length} well` : failing.map(({ name }) => `${name} fails`).join(", "),
    },
  ];
}
