import { lookup } from "node:dns/promises";
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
  queues: Record<string, { last_marker_age_s: number | null }>;
  time: string;
}

/** Only operators see the state of the installation. */
interface Service {
  late_queues: string[];
  alarms: { name: string; message: string }[];
  settings: { public_url: string; sends_mail: boolean; canaries: number; sends_heartbeat: boolean };
}

interface Overview {
  checks_delayed_since: string | null;
  service: Service | null;
}

const finding = (subject: string, isWell: boolean, detail: string): Finding => ({ subject, isWell, detail });

/** Looks at a service from where its operator is: what it says of itself, and what only somebody outside can see. */
export async function examine(api: Api, input: { now: () => number }): Promise<Finding[]> {
  const asked = input.now();
  const health = (await api.call("GET", "/health")) as Health;
  const half = (input.now() - asked) / 2;
  const offset = Math.round(Date.parse(health.time) - asked - half);
  const overview = (await api.call("GET", "/overview")) as Overview;
  const webhooks = await api.list("/webhooks");
  const failing = webhooks.filter((webhook) => webhook.failing_since || webhook.disabled_reason);
  const delayed = overview.checks_delayed_since;
  return [
    finding("service", health.status === "ok", `${health.status}, version ${health.version}`),
    ...Object.entries(health.checks).map(([subject, state]) => finding(subject, state === "ok", state)),
    ...examineMinute(health),
    finding("checks", delayed === null, delayed === null ? "on time" : `late since ${delayed}`),
    finding("clock", Math.abs(offset) <= CLOCK_MAX_MS, `${offset} ms from this machine's`),
    ...(await examineAddress(api.url)),
    finding(
      "webhooks",
      failing.length === 0,
      failing.length === 0 ? `${webhooks.length} well` : failing.map(({ name }) => `${name} fails`).join(", "),
    ),
    ...(overview.service ? examineInstallation(overview.service, api.url) : []),
  ];
}

function examineMinute({ scheduler, queues }: Health): Finding[] {
  const tick = scheduler.last_tick_age_s;
  const late = Object.entries(queues).filter(([, { last_marker_age_s: age }]) => age !== null && age > TICK_MAX_S);
  return [
    finding("minute", tick !== null && tick <= TICK_MAX_S, tick === null ? "has never run" : `last ran ${tick} s ago`),
    finding(
      "markers",
      late.length === 0,
      late.length === 0
        ? `${Object.keys(queues).length} queues on time`
        : late.map(([queue, { last_marker_age_s }]) => `${queue}: ${last_marker_age_s} s ago`).join(", "),
    ),
  ];
}

const isLocal = (url: string) => /^http:\/\/(127\.|localhost|\[::1\])/.test(url);

async function examineAddress(url: string): Promise<Finding[]> {
  const isEncrypted = url.startsWith("https://");
  const { hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const found = await lookup(host, { all: true }).catch(() => []);
  return [
    finding("address", isEncrypted || isLocal(url), isEncrypted ? "encrypted" : "not encrypted: tokens are readable"),
    finding("dns", found.length > 0, `${host}: ${found.map(({ address }) => address).join(", ") || "no address"}`),
  ];
}

/** What is optional on one machine is expected of a deployment. */
function examineInstallation({ settings, alarms }: Service, url: string): Finding[] {
  const { public_url, sends_mail, canaries, sends_heartbeat } = settings;
  const mayLack = isLocal(url);
  const isSame = public_url === url;
  return [
    finding(
      "settings",
      isSame || mayLack,
      isSame ? "PUBLIC_URL is this address" : `PUBLIC_URL is ${public_url || "not set"}, this address is ${url}`,
    ),
    finding("mail", sends_mail || mayLack, sends_mail ? "is sent" : "stays in the outbox: MAIL_FROM and a way to send"),
    finding("canaries", canaries > 0 || mayLack, canaries > 0 ? `${canaries} set` : "CANARY_TARGETS is empty"),
    finding("heartbeat", sends_heartbeat || mayLack, sends_heartbeat ? "is sent" : "HEARTBEAT_URL is not set"),
    finding(
      "alarms",
      alarms.length === 0,
      alarms.length === 0 ? "none" : alarms.map(({ name, message }) => `${name}: ${message}`).join("; "),
    ),
  ];
}
