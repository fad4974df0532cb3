import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { loadCheckGroup } from "../../src/data/check-groups/read.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { meter } from "../support/cost-meter.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";

const db = openDb(env.DB);
let id = "";
let group = "";

beforeEach(async () => {
  const { user_id } = await createAccount();
  ({ id, check_group_id: group } = await insertMonitor(user_id, { target: "http://sink.test/members" }));
});

async function load() {
  const { members } = await loadCheckGroup(db, group);
  const [member] = members.filter((each) => each.id === id);
  if (!member) throw new Error("the monitor is no member of its group");
  return member;
}

const stored = async () => (await db.select().from(monitors).where(eq(monitors.id, id)))[0];

describe("the members of a check group", () => {
  it("have every column as it is stored, with any values", async () => {
    await db
      .update(monitors)
      .set({
        name: 'a "name", \\ with \n lines, Größe and 🚀',
        tags: ["a,b", '"'],
        regions: ["weur"],
        options: { expected_body: '{"ok": [1, null, true]}', json_assertions: [{ path: "a", operator: "exists" }] },
        other_shards: { [id]: 1_700_000_000_000 },
        settled: true,
        is_internal: false,
        auto_create_incident: false,
        certificate_expires_at: Number.MAX_SAFE_INTEGER,
        latency_threshold_ms: null,
        sealed: null,
      })
      .where(eq(monitors.id, id));
    expect(await load()).toEqual(await stored());
  });

  it("are the same object while the row is the same, and another one after any change of it", async () => {
    const first = await load();
    expect(await load()).toBe(first);
    await db.update(monitors).set({ has_metric_rules: true }).where(eq(monitors.id, id));
    const changed = await load();
    expect(changed).not.toBe(first);
    expect(changed).toEqual(await stored());
    expect(first.has_metric_rules).toBe(false);
    expect(Object.isFrozen(changed)).toBe(true);
  });

  it("are read while they are not paused, and cost nothing while they are", async () => {
    const { user_id } = await createAccount();
    const rowsRead = async () => (await meter(({ DB }) => loadCheckGroup(openDb(DB), group))).rows_read;
    const pauseAnother = () => insertMonitor(user_id, { check_group_id: group, paused: true });
    await pauseAnother();
    const before = await rowsRead();
    for (let n = 0; n < 4; n++) await pauseAnother();
    expect(await rowsRead()).toBe(before);
  });

  it("are read whole where a row is too long to be kept", async () => {
    const options = { expected_body: "ü".repeat(9_000) };
    await db.update(monitors).set({ options }).where(eq(monitors.id, id));
    expect((await load()).options).toEqual(options);
    expect(await load()).toEqual(await stored());
  });
});
