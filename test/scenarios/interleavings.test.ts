import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, describe, expect, inject, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { runSlot } from "../../src/checks/runner.ts";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { incidents } from "../../src/data/incidents/table.ts";
import { monitors, transitions } from "../../src/data/monitors/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { V1 } from "../support/client.ts";
import { readTables } from "../support/database.ts";
import { deliver } from "../support/deliveries.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { ask, interleave } from "../support/interleaving.ts";
import { joinPage } from "../support/members.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { consumeOutbox, readObject } from "../support/outboxes.ts";
import { recordingEnv } from "../support/queues.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

/**
 * People change a monitor while it is checked, and a webhook while something is delivered. Regardless of the order in
 * which the steps of both are taken, what was decided by a configuration that is gone changes nothing any more.
 */

const db = openDb(env.DB);
const effort = inject("effort");
const timeout = 240_000 * effort;
const outside = vi.spyOn(globalThis, "fetch");

let owner: Account;
let other: Account;
let home: string;
let elsewhere: string;
beforeAll(async () => {
  [owner, other] = [await createAccount(), await createAccount()];
  const fields = { auto_create_incident: true, auto_publish_incident: true };
  [home, elsewhere] = [await insertPage(owner.user_id, fields), await insertPage(other.user_id, fields)];
  await joinPage(owner, elsewhere, { role: "admin" });
});

const VERBS = ["pause", "resume", "update", "migrate", "delete"] as const;
type Verb = (typeof VERBS)[number];

const planOf = (verbs: fc.Arbitrary<Verb[]>) =>
  fc.record({
    /** Checks, each of which begins and is answered so many turns late, lest they all be over before anything changes. */
    checks: fc.array(
      fc.record({
        /** Of the target that the monitor has at first; the one that it is given answers 200. */
        status: fc.constantFrom(200, 503),
        begins_after: fc.nat(25),
        takes: fc.nat(25),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    verbs,
  });

const settle = (id: string) => consumeOutbox(jobScope(recordingEnv().env, "test"), id);

const eventsOf = (id: string) => db.select().from(events).where(eq(events.monitor_id, id)).orderBy(asc(events.id));

function requestOf(verb: Verb, id: string) {
  const path = `${V1}/monitors/${id}`;
  switch (verb) {
    case "pause":
    case "resume":
      return { method: "POST", path: `${path}/${verb}` };
    case "update":
      return { method: "PUT", path, body: { target: `http://sink.test/new/${id}` } };
    case "delete":
      return { method: "DELETE", path };
    default: {
      const body = { target_status_page_id: elsewhere, monitor_ids: [id] };
      return { method: "POST", path: `${V1}/status-pages/${home}/monitors/migrate`, body };
    }
  }
}

/** Which configuration the object knew, and how far it was. */
interface Learned {
  version: number;
  seq: number;
}

/** What was true when a verb had been answered. */
interface Moment {
  verb: Verb;
  status: number;
  /** Of the object when it had learned what the verb decided. */
  seq: number;
  events: string[];
}

async function aCheckedMonitor() {
  const monitor = await insertMonitor(owner.user_id, {
    status_page_id: home,
    failure_threshold: 1,
    recovery_threshold: 1,
    created_at: Date.now() - 3_600_000,
  });
  await db
    .update(monitors)
    .set({ target: `http://sink.test/old/${monitor.id}` })
    .where(eq(monitors.id, monitor.id));
  const slot = { group_id: monitor.check_group_id, region: "default", attempt: 0 };
  outside.mockImplementation(async () => new Response("ok"));
  const slot_at = Date.now() - 600_000;
  await runSlot(jobScope(recordingEnv().env, "test", slot_at), { ...slot, slot_at }, async () => {});
  await settle(monitor.id);
  return { ...monitor, slot };
}

async function wait(s: fc.Scheduler, turns: number, label: string): Promise<void> {
  for (let turn = 0; turn <= turns; turn++) await s.schedule(Promise.resolve(), label);
}

interface Check {
  status: number;
  begins_after: number;
  takes: number;
}

async function play(s: fc.Scheduler, { checks, verbs }: { checks: Check[]; verbs: Verb[] }) {
  const { id, slot } = await aCheckedMonitor();
  const left = [...checks];
  outside.mockImplementation(async (asked) => {
    const url = String(asked instanceof Request ? asked.url : asked);
    if (!url.endsWith(id)) return new Response("ok");
    const { status, takes } = (url.includes("/old/") ? left.shift() : undefined) ?? { status: 200, takes: 0 };
    await wait(s, takes, `target says ${status}`);
    return new Response("", { status });
  });
  const learned: Learned[] = [];
  const bindings = interleave(s, recordingEnv().env, async (verb) => {
    const object = verb === "sync" ? await readObject(id) : undefined;
    if (object) learned.push({ version: object.config_version, seq: object.state.seq });
  });
  const scope = jobScope(bindings, "test");
  const moments: Moment[] = [];
  const began = Date.now();
  const check = async ({ begins_after }: Check, n: number) => {
    await wait(s, begins_after, `check ${n}`);
    const slot_at = began - 300_000 + n * 60_000;
    // In time: a slot that comes after the next one is dropped.
    await runSlot({ ...scope, now: slot_at }, { ...slot, slot_at }, async () => {});
  };
  const change = async () => {
    for (const verb of verbs) {
      const status = await ask(bindings, { token: owner.token, ...requestOf(verb, id) });
      const object = await readObject(id);
      const version = object?.config_version ?? 0;
      const known = learned.filter((each) => each.version >= version).map(({ seq }) => seq);
      const seq = Math.min(...known, object?.state.seq ?? -1);
      moments.push({ verb, status, seq, events: (await eventsOf(id)).map((event) => event.id) });
    }
  };
  const consume = async () => {
    await s.schedule(Promise.resolve(), "events are consumed");
    const outbox = (await readObject(id))?.outbox;
    // What fails because the monitor went meanwhile is brought again by the queue, as settle() does.
    if (outbox?.length)
      await consumeEvent(scope, { kind: "transitions", monitor_id: id, transitions: outbox }).catch(() => {});
  };
  await s.waitFor(Promise.all([...checks.map(check), change(), consume()]));
  await settle(id);
  return { id, moments };
}

async function judge({ id, moments }: Awaited<ReturnType<typeof play>>): Promise<void> {
  const object = await readObject(id);
  const [row] = await db.select().from(monitors).where(eq(monitors.id, id));
  const told = await eventsOf(id);
  const went = await db.select().from(transitions).where(eq(transitions.monitor_id, id)).orderBy(asc(transitions.seq));
  for (const { verb, status } of moments) expect([verb, status]).toEqual([verb, expect.toSatisfy(isExpected)]);
  const done = (verb: Verb) => moments.find((moment) => moment.verb === verb && moment.status < 300);

  const deleted = done("delete");
  if (deleted) {
    expect(object, "the object of a deleted monitor").toBeUndefined();
    expect(told.map((event) => event.id)).toEqual(deleted.events);
    const kept = await readTables(["audit_log", "events", "deliveries", "check_groups", "idempotency_keys"]);
    const orphans = Object.entries(kept).flatMap(([table, rows]) =>
      rows.filter((each) => JSON.stringify(each).includes(id)).map((each) => ({ table, ...each })),
    );
    // What was published stays published, and reports of the time on a page stay what they were.
    expect(orphans.filter(({ table }) => !KEEPING.includes(table))).toEqual([]);
    return;
  }

  expect({ status: row?.status, seq: row?.state_seq }).toEqual({
    status: object?.state.status,
    seq: object?.state.seq,
  });
  expect(went.map(({ seq }) => seq)).toEqual(went.map((_, n) => n + 1));
  expect(went.at(-1)?.seq).toBe(object?.state.seq);
  expect(row?.synced_version).toBe(row?.config_version);

  const after = (verb: Verb) => went.filter(({ seq }) => seq > (done(verb)?.seq ?? Number.POSITIVE_INFINITY));
  const resumed = done("resume");
  const paused = done("pause");
  const isResumedLater = resumed && paused && moments.indexOf(resumed) > moments.indexOf(paused);
  if (paused && !isResumedLater) {
    expect(after("pause"), "after the pause").toEqual([]);
    expect(row).toMatchObject({ status: "paused", paused: true });
  }
  expect(after("update").filter(({ to_status }) => to_status === "down")).toEqual([]);

  const pages = new Map((await db.select().from(statusPages)).map((page) => [page.id, page.owner_id]));
  const seqOf = ({ data }: (typeof told)[number]) => JSON.stringify([data.state_seq ?? data.seq ?? data.outage_id]);
  expect(told.filter((event) => pages.get(event.status_page_id ?? "") !== event.owner_id)).toEqual([]);
  const named = told.map((event) => `${event.name} ${seqOf(event)} ${event.created_at}`);
  expect(new Set(named).size).toBe(named.length);
  const opened = await db.select().from(incidents).where(eq(incidents.origin_monitor_id, id));
  expect(opened.filter((incident) => pages.get(incident.status_page_id) !== incident.owner_id)).toEqual([]);
  const migrated = done("migrate");
  if (migrated) {
    expect(row).toMatchObject({ status_page_id: elsewhere, owner_id: other.user_id });
    const late = told.filter((event) => !migrated.events.includes(event.id) && isDecidedAfter(event, after("migrate")));
    expect(late.filter((event) => event.owner_id !== other.user_id)).toEqual([]);
  }
}

/** Tables whose rows outlive the monitor that they came from. */
const KEEPING = ["incidents", "incident_updates", "monitor_stays"];
/** A verb may find that the monitor is gone, or was changed since it was read. */
const isExpected = (status: number) => status < 300 || [400, 404, 409].includes(status);

function isDecidedAfter({ data }: { data: Record<string, unknown> }, later: { effective_at: number }[]): boolean {
  return later.some(({ effective_at }) => data.since === new Date(effective_at).toISOString());
}

const some = fc.uniqueArray(fc.constantFrom(...VERBS), { minLength: 1, maxLength: 3 });
const only = (verb: Verb) => fc.constant<Verb[]>([verb]);

describe("a monitor that is changed while it is checked", () => {
  it.each([
    ["updated", only("update"), 40],
    ["paused", only("pause"), 12],
    ["migrated", only("migrate"), 12],
    ["deleted", only("delete"), 12],
    ["changed in several ways", some, 25],
  ])(
    "is what its present configuration makes it, and leaves nothing behind: %s",
    { timeout },
    async (_name, verbs, numRuns) => {
      const property = fc.asyncProperty(fc.scheduler(), planOf(verbs), async (s, plan) => judge(await play(s, plan)));
      await fc.assert(property, { numRuns: numRuns * effort });
    },
  );
});

describe("a webhook that is changed while something is delivered", () => {
  const changes = fc.uniqueArray(fc.constantFrom("delete" as const, "switch off" as const, "readdress" as const), {
    minLength: 1,
    maxLength: 2,
  });

  it("is asked no more once it is gone or off, and at its new address once it has one", {
    timeout,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), changes, fc.constantFrom(200, 500, 410), async (s, planned, status) => {
        const webhook = await createWebhook(owner);
        const ids = await route(eventOf(owner.user_id), eventOf(owner.user_id));
        const mine = await db.select().from(deliveries).where(eq(deliveries.webhook_id, webhook.id));
        const bindings = interleave(s, recordingEnv({ DELIVERY_TIMEOUT_MS: 1000 }).env);
        const asked: string[] = [];
        outside.mockImplementation(async (request) => {
          const url = String(request instanceof Request ? request.url : request);
          const isOurs = [webhook.url, `${webhook.url}/new`].includes(url);
          if (!isOurs) return new Response("ok");
          asked.push(url);
          await s.schedule(Promise.resolve(), "the receiver answers");
          return new Response("", { status });
        });
        const path = `${V1}/webhooks/${webhook.id}`;
        const change = async () => {
          for (const each of planned) {
            const body = each === "switch off" ? { is_active: false } : { url: `${webhook.url}/new` };
            const request = each === "delete" ? { method: "DELETE", path } : { method: "PUT", path, body };
            expect(await ask(bindings, { token: owner.token, ...request })).toBeOneOf([200, 204, 404]);
          }
        };
        await s.waitFor(Promise.all([deliver(ids, bindings), change()]));
        const before = asked.length;
        expect(before, "one attempt for each delivery").toBeLessThanOrEqual(mine.length);

        // All that is still due, retries included, is tried again a week later.
        await db
          .update(deliveries)
          .set({ lease_until: 0, next_attempt_at: 0 })
          .where(eq(deliveries.webhook_id, webhook.id));
        outside.mockImplementation(async (request) => {
          const url = String(request instanceof Request ? request.url : request);
          if (url.startsWith(webhook.url)) asked.push(url);
          return new Response("ok");
        });
        await deliver(mine.map(({ id }) => id));
        const later = asked.slice(before);
        if (planned.includes("delete") || planned.includes("switch off")) expect(later).toEqual([]);
        else expect(later.filter((url) => url !== `${webhook.url}/new`)).toEqual([]);
        if (planned.includes("delete")) {
          const { webhooks, deliveries: rows, delivery_attempts } = await readTables();
          expect(JSON.stringify([webhooks, rows, delivery_attempts])).not.toContain(webhook.id);
        } else await owner.client.delete(path);
      }),
      { numRuns: 30 * effort },
    );
  });
});
