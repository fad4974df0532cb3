import { describe, expect, it } from "vitest";
import type { Api } from "./api.ts";
import { examine } from "./doctor.ts";

const NOW = Date.UTC(2026, 2, 1);

interface Answers {
  url: string;
  health: Record<string, unknown>;
  overview: Record<string, unknown>;
  service: Record<string, unknown>;
  settings: Record<string, unknown>;
  webhooks: Record<string, unknown>[];
}

/** A deployment that is well, except for what a test changes. */
async function findingsOf(changes: Partial<Answers> = {}) {
  const url = changes.url ?? "https://127.0.0.1";
  const health = {
    status: "ok",
    version: "1.0.0",
    checks: { database: "ok", cache: "ok", queue: "ok" },
    scheduler: { last_tick_age_s: 12 },
    queues: { checks: { last_marker_age_s: 15 } },
    time: new Date(NOW).toISOString(),
    ...changes.health,
  };
  const settings = { public_url: url, sends_mail: true, canaries: 2, sends_heartbeat: true, ...changes.settings };
  const service = { late_queues: [], alarms: [], settings, ...changes.service };
  const overview = { checks_delayed_since: null, service, ...changes.overview };
  const api = {
    url,
    call: async (_method: string, path: string) => (path === "/health" ? health : overview),
    list: async () => changes.webhooks ?? [{ name: "Ops", failing_since: null, disabled_reason: null }],
  };
  const findings = await examine(api as unknown as Api, { now: () => NOW });
  return findings.flatMap(({ subject, isWell, detail }) => (isWell ? [] : [`${subject}: ${detail}`]));
}

describe("the doctor", () => {
  it("has nothing to say of a deployment that is well", async () => {
    expect(await findingsOf()).toEqual([]);
  });

  it.each<[name: string, changes: Partial<Answers>, findings: string[]]>([
    [
      "a cache that fails",
      { health: { status: "degraded", checks: { database: "ok", cache: "error", queue: "ok" } } },
      ["service: degraded, version 1.0.0", "cache: error"],
    ],
    ["a minute that never ran", { health: { scheduler: { last_tick_age_s: null } } }, ["minute: has never run"]],
    ["a clock that stands still", { health: { scheduler: { last_tick_age_s: 181 } } }, ["minute: last ran 181 s ago"]],
    [
      "a queue without a consumer",
      { health: { queues: { checks: { last_marker_age_s: 15 }, mail: { last_marker_age_s: 900 } } } },
      ["markers: mail: 900 s ago"],
    ],
    [
      "a clock that is wrong",
      { health: { time: new Date(NOW + 31_000).toISOString() } },
      ["clock: 31000 ms from this machine's"],
    ],
    [
      "checks that are late",
      { overview: { checks_delayed_since: "2026-02-28T23:00:00Z" } },
      ["checks: late since 2026-02-28T23:00:00Z"],
    ],
    ["a webhook that fails", { webhooks: [{ name: "Ops", failing_since: "x" }] }, ["webhooks: Ops fails"]],
    [
      "another address than its own",
      { settings: { public_url: "https://status.example" } },
      ["settings: PUBLIC_URL is https://status.example, this address is https://127.0.0.1"],
    ],
    [
      "mail that stays",
      { settings: { sends_mail: false } },
      ["mail: stays in the outbox: MAIL_FROM and a way to send"],
    ],
    ["no canaries", { settings: { canaries: 0 } }, ["canaries: CANARY_TARGETS is empty"]],
    ["no heartbeat", { settings: { sends_heartbeat: false } }, ["heartbeat: HEARTBEAT_URL is not set"]],
    [
      "an alarm",
      { service: { alarms: [{ name: "error_rate", message: "7 % of requests failed" }] } },
      ["alarms: error_rate: 7 % of requests failed"],
    ],
  ])("points at %s", async (_name, changes, findings) => {
    expect(await findingsOf(changes)).toEqual(findings);
  });

  it("asks of a service on this machine only what it needs there", async () => {
    const settings = { public_url: "", sends_mail: false, canaries: 0, sends_heartbeat: false };
    expect(await findingsOf({ url: "http://127.0.0.1:8787", settings })).toEqual([]);
  });

  it("says nothing of the installation to an account that does not operate it", async () => {
    expect(await findingsOf({ overview: { service: null } })).toEqual([]);
  });
});
