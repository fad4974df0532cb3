import { expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import type { AgentAssignment } from "../contract/agent.ts";
import type { ProbeResult } from "../contract/check.ts";
import type { NetIo } from "../net/port.ts";
import { httpProbe } from "../probes/http.ts";
import { mysqlProbe } from "../probes/mysql.ts";
import { checkAssignment } from "./checker.ts";
import { Reach, UNRESTRICTED } from "./reach.ts";

const assignment: AgentAssignment = {
  id: "0199c0de-0000-7000-8000-000000000001",
  name: "Database",
  type: "mysql",
  target: "db.example:3306",
  interval: 60,
  timeout_seconds: 5,
  retry_interval: 15,
  failure_threshold: 1,
  recovery_threshold: 1,
  latency_threshold_ms: null,
  options: {},
  config_version: 1,
};

it("sends a failure in a form that the service accepts, with any text of the target", async () => {
  const said = "refused\u0000\u001b[31m \ud800 by db-1";
  const failure: ProbeResult = {
    outcome: "failure",
    latency_ms: 3,
    cause: "protocol",
    message: said,
    details: { greeting: said },
    evidence: { status_line: null, excerpt: said, addresses: ["192.0.2.1"] },
  };
  const probe = { ...mysqlProbe, check: async () => failure };
  const checked = await checkAssignment(assignment, {
    probeFor: () => probe,
    ioFor: () => ({}) as NetIo,
    reach: new Reach(UNRESTRICTED),
    clock: { now: () => 7 },
    certificates: new Map(),
    failed: new Map(),
  });
  expect(checked).toMatchObject({ ok: true, result: { status: "down", checked_at: 7 } });
  const sent = JSON.stringify(checked);
  expect(sent).toContain("refused[31m  by db-1");
  expect(sent).not.toMatch(/\\u(?:00|d8)/);
});

it("sends in full what it saw first, of a failure and of the success after it", async () => {
  const failed = new Map<string, boolean>();
  const bodies = ["ok", "ok", "down", "down", "ok", "ok"];
  const fetch = bodies.map((body) => ({ status: body === "ok" ? 200 : 500, body }));
  const io = scriptedIo({ fetch });
  const parts = {
    probeFor: () => httpProbe,
    ioFor: () => io,
    reach: new Reach(UNRESTRICTED),
    clock: { now: () => 7, correct: () => 7 },
    certificates: new Map(),
    failed,
  };
  const seen: (string | undefined)[] = [];
  for (const _ of bodies) {
    const checked = await checkAssignment({ ...assignment, type: "http", target: "http://192.0.2.1/" }, parts);
    seen.push(checked.ok ? checked.result.observation?.body : "not checked");
  }
  expect(seen).toEqual(["ok", undefined, "down", undefined, "ok", undefined]);
});
