import { expect, it } from "vitest";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";
import { recordChecks } from "../support/results.ts";

const HOUR_MS = 3_600_000;

it("proposes thresholds that would have announced fewer short outages, and changes nothing", async () => {
  const { client } = await createAccount();
  const monitor = await createMonitor(client, { interval: 3600, failure_threshold: 1, recovery_threshold: 1 });
  await recordChecks(monitor.id, { days: 10, interval_ms: HOUR_MS, hasFailed: (n) => n % 24 === 12 });
  const before = (await client.get(`${V1}/monitors/${monitor.id}`)).body;
  const answer = await client.post(`${V1}/monitors/${monitor.id}/tune`, { max_false_alarms_per_month: 1 });
  expect(answer).toMatchObject({
    status: 200,
    body: {
      current: { failure_threshold: 1, recovery_threshold: 1, announced: 10, short_outages: 10 },
      proposed: { short_outages: 0, announced: 0 },
      reason: expect.any(String),
    },
  });
  expect(answer.body.proposed.failure_threshold).toBeGreaterThan(1);
  expect((await client.get(`${V1}/monitors/${monitor.id}`)).body).toEqual(before);
});

it("needs seven days of history", async () => {
  const { client } = await createAccount();
  const monitor = await createMonitor(client, { interval: 3600 });
  await recordChecks(monitor.id, { days: 6, interval_ms: HOUR_MS });
  const answer = await client.post(`${V1}/monitors/${monitor.id}/tune`, {});
  expect(answer).toMatchObject({ status: 409, body: { code: "not_enough_history" } });
});

it.each([
  { max_false_alarms_per_month: -1 },
  { max_delay_seconds: 0 },
  { max_delay_seconds: "soon" },
])("refuses %j", async (body) => {
  const { client } = await createAccount();
  const monitor = await createMonitor(client);
  expect((await client.post(`${V1}/monitors/${monitor.id}/tune`, body)).status).toBe(400);
});
