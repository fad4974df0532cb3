import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { findMonitor } from "../../src/data/monitors/read.ts";
import { runScheduled } from "../support/checks.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor } from "../support/factories.ts";
import { recordingEnv } from "../support/queues.ts";

const MINUTE = 60_000;
const outside = vi.spyOn(globalThis, "fetch");

beforeEach(() => {
  outside.mockReset().mockImplementation(async () => new Response("ok"));
  vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / MINUTE) * MINUTE });
});
afterEach(() => vi.useRealTimers());

let account: Account;
let ids: string[];
let interval = 1_000;

/** Two monitors that one message checks. */
beforeEach(async () => {
  account = await createAccount();
  // An interval of their own keeps the monitors of other tests out of their group.
  interval += 1;
  const body = { paused: false, interval };
  ids = [(await createMonitor(account.client, body)).id, (await createMonitor(account.client, body)).id];
  await checkGroupOf(ids[0] ?? "");
});

async function checkGroupOf(id: string): Promise<void> {
  vi.setSystemTime(Date.now() + MINUTE);
  const row = await findMonitor(openDb(env.DB), id);
  await runScheduled({ ...env, ...recordingEnv().env }, row?.check_group_id ?? "", Date.now());
}

async function shownOf(id: string) {
  const { last_check, last_latency_ms } = (await account.client.get(`${V1}/monitors/${id}`)).body;
  return { last_check, last_latency_ms };
}

describe("the last check of a monitor", () => {
  it.each([
    ["is paused", (id: string) => account.client.post(`${V1}/monitors/${id}/pause`)],
    ["is paused by an update", (id: string) => account.client.put(`${V1}/monitors/${id}`, { paused: true })],
    [
      "is paused with others",
      (id: string) => account.client.post(`${V1}/monitors/bulk`, { ids: [id], action: "pause" }),
    ],
    [
      "is paused and gets another interval",
      (id: string) => account.client.put(`${V1}/monitors/${id}`, { paused: true, interval: 900 }),
    ],
    ["gets another interval", (id: string) => account.client.put(`${V1}/monitors/${id}`, { interval: 900 })],
  ])("is still known when it %s and others are checked", async (_name, change) => {
    const [id = "", other = ""] = ids;
    const before = await shownOf(id);
    expect(before.last_check).toBe(new Date().toISOString());
    expect((await change(id)).status).toBe(200);
    await checkGroupOf(other);
    await checkGroupOf(other);
    expect(await shownOf(id)).toEqual(before);
    const { body: listed } = await account.client.get(`${V1}/monitors`);
    expect(listed.find((each: { id: string }) => each.id === id)).toMatchObject(before);
  });
});
