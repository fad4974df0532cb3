import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { createClientUnder, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { recordStatements } from "../support/statements.ts";

/** How often requests wait for the database. The limits may fall, never rise: each is a way to another data centre. */

// The use of a token is noted once a minute, by a round trip of its own.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** A client whose requests are counted, and whose token was used in this minute. */
async function aCountedClient() {
  const { token, user_id } = await createAccount();
  const { DB, record } = recordStatements();
  const client = createClientUnder({ DB }, token);
  await client.get(`${V1}/monitors`);
  const count = async (request: () => Promise<{ status: number }>) => {
    const before = record.trips;
    const { status } = await request();
    return { status, trips: record.trips - before };
  };
  return { client, user_id, count };
}

describe("a list of monitors", () => {
  it("takes three round trips, however many there are", async () => {
    const { client, user_id, count } = await aCountedClient();
    for (let n = 0; n < 30; n++) await insertMonitor(user_id, { check_group_id: `group-${n}` });
    expect(await count(() => client.get(`${V1}/monitors?limit=1`))).toEqual({ status: 200, trips: 3 });
    expect(await count(() => client.get(`${V1}/monitors?limit=1000`))).toEqual({ status: 200, trips: 3 });
  });

  it("counts all monitors beyond its end, too", async () => {
    const { client, user_id } = await aCountedClient();
    for (let n = 0; n < 3; n++) await insertMonitor(user_id);
    const totals = await Promise.all(
      ["?limit=2", "?offset=2", "?offset=3", "?q=nothing"].map((query) => client.get(`${V1}/monitors${query}`)),
    );
    expect(totals.map(({ headers }) => headers.get("x-total-count"))).toEqual(["3", "3", "3", "0"]);
  });
});

describe("POST /monitors", () => {
  it("takes one round trip for the credential and one to write and to read what became of it", async () => {
    const { client, count } = await aCountedClient();
    const body = { name: "Shop", type: "http", target: "http://sink.test/", paused: true };
    expect(await count(() => client.post(`${V1}/monitors`, body))).toEqual({ status: 201, trips: 2 });
    // The object sets an alarm for the first push that is due, and says so.
    const beat = { name: "Backup", type: "heartbeat", expected_interval: 3600 };
    expect(await count(() => client.post(`${V1}/monitors`, beat))).toEqual({ status: 201, trips: 3 });
  });

  it("places a monitor below all that its owner has", async () => {
    const { client, user_id } = await aCountedClient();
    await insertMonitor(user_id, { position: 7 });
    const shop = { name: "Shop", type: "http", target: "http://sink.test/", paused: true };
    const { body } = await client.post(`${V1}/monitors`, shop);
    const rows = await openDb(env.DB).select().from(monitors).where(eq(monitors.id, body.id));
    expect(rows.map(({ position }) => position)).toEqual([8]);
  });
});
