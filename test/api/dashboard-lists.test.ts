import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { proberObject } from "../../src/platform/prober-objects.ts";
import { CORE, V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { furnishPage } from "../support/furnished-page.ts";
import { insertNotice } from "../support/members.ts";
import { insertMonitor } from "../support/monitors.ts";

/** A part of a list in the dashboard has this many entries. */
const PART = 50;
let owner: Account;
let browser: Browser;
let furnished: Awaited<ReturnType<typeof furnishPage>>;
beforeEach(() => void vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok")));
beforeAll(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  owner = await createAccount();
  browser = await browserOf(owner);
  furnished = await furnishPage(owner);
});

type Row = Record<string, string | number | null>;

/** Adds copies of a row, each with an id of its own and what else has to differ. */
async function addCopies(table: string, where: [column: string, value: string], change: (n: number) => Row) {
  const row = await env.DB.prepare(`SELECT * FROM ${table} WHERE ${where[0]} = ? LIMIT 1`).bind(where[1]).first<Row>();
  if (!row) throw new Error(`no row in ${table}`);
  const columns = Object.keys(row);
  const insert = env.DB.prepare(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => "?")})`);
  const copies = Array.from({ length: PART }, (_, n) => ({ ...row, id: newId(), ...change(n) }) as Row);
  await env.DB.batch(copies.map((copy) => insert.bind(...columns.map((column) => copy[column] ?? null))));
}

/** The address of the next part of the list whose beginning this member of the query is. */
const nextIn = (text: string, member = "offset") =>
  new RegExp(`rel="next" href="([^"]*[?;]${member}=${PART}[^"]*)"`).exec(text)?.[1]?.replaceAll("&amp;", "&");
const countIn = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

interface List {
  path(): string;
  /** Of the address; `offset` where it has one list. */
  member?: string;
  /** One match an entry. */
  entry: RegExp;
  fill(): Promise<void>;
}

const onPage = (): [string, string] => ["status_page_id", furnished.page];
const LISTS: Record<string, List> = {
  rules: {
    path: () => `/app/rules?page=${furnished.page}`,
    entry: /id="menu-[\w-]+"/g,
    fill: () => addCopies("event_rules", onPage(), (n) => ({ display_name: `Rule ${n}` })),
  },
  schedules: {
    path: () => `/app/on-call?page=${furnished.page}`,
    member: "schedules",
    entry: /calendar">Calendar<\/a>/g,
    fill: () => addCopies("on_call_schedules", onPage(), (n) => ({ name: `Schedule ${n}` })),
  },
  "escalation policies": {
    path: () => `/app/on-call?page=${furnished.page}`,
    member: "policies",
    entry: /<ol class="path">/g,
    fill: async () => {
      const path = `${V1}/status-pages/${furnished.page}/on-call/policies`;
      const steps = [{ level: 1, wait_minutes: 0, contacts: [{ type: "user", value: owner.user_id, label: "Owner" }] }];
      for (let n = 0; n < PART; n++) await owner.client.post(path, { name: `Policy ${n}`, steps, is_default: false });
    },
  },
  "incident templates": {
    path: () => `/app/incidents/templates?page=${furnished.page}`,
    entry: /Open an incident from it/g,
    fill: () => addCopies("incident_templates", onPage(), (n) => ({ name: `Template ${n}` })),
  },
  "team members": {
    path: () => `/app/team?page=${furnished.page}`,
    entry: /<th scope="row"><span class="with-avatar">/g,
    fill: () =>
      addCopies("page_invitations", onPage(), (n) => ({
        email: `${n}@reader.example`,
        token_hash: newId(),
        mail_token_hash: null,
      })),
  },
  "API tokens": {
    path: () => "/app/account",
    member: "tokens",
    entry: /\/app\/account\/tokens\/[\w-]+\/delete/g,
    fill: () => addCopies("api_tokens", ["user_id", owner.user_id], (n) => ({ name: `T ${n}`, token_hash: newId() })),
  },
  sessions: {
    path: () => "/app/account",
    member: "sessions",
    entry: /\/app\/account\/sessions\/[\w-]+\/end|This one/g,
    fill: () => addCopies("sessions", ["user_id", owner.user_id], () => ({ token_hash: newId() })),
  },
  notifications: {
    path: () => "/app/notifications",
    entry: /Mark as read/g,
    fill: async () => {
      for (let n = 0; n <= PART; n++) await insertNotice(owner.user_id);
    },
  },
  services: {
    path: () => `/app/pages/${furnished.page}/services`,
    entry: /data-drop="[\w-]+"[^>]*><th/g,
    fill: async () => {
      for (let n = 0; n <= PART; n++) await insertMonitor(owner.user_id, { status_page_id: furnished.page });
    },
  },
  "status pages": {
    path: () => "/app/pages",
    entry: /aria-label="Open [^"]*"/g,
    fill: () => addCopies("status_pages", ["id", furnished.page], () => ({ slug: `s-${newId()}` })),
  },
};

describe.each(Object.entries(LISTS))("the list of %s", (_name, { path, member, entry, fill }) => {
  it("shows the first part, and leads to the next by an address", async () => {
    await fill();
    const first = await browser.open(path());
    expect(countIn(first.text, entry)).toBe(PART);
    const address = nextIn(first.text, member);
    if (address === undefined) throw new Error("there is no next part");
    const next = await browser.open(address);
    expect(next.status).toBe(200);
    const others = countIn(next.text, entry);
    expect([others > 0, others < PART]).toEqual([true, true]);
    expect(next.text).toContain('rel="prev"');
    expect(new URL(address, "http://vigil.test").pathname).toBe(path().split("?")[0]);
  });
});

describe.each([
  ["an incident", "incidents", "incident"],
  ["a window", "maintenance", "maintenance"],
] as const)("the timeline of %s with more updates than the API sends along", (_noun, section, name) => {
  it("is shown in parts, and its oldest update has a form that corrects and deletes it", async () => {
    const times = { start_time: "2031-07-01T08:00:00Z", end_time: "2031-07-01T09:00:00Z" };
    const fields = { status_page_id: furnished.page, title: "Long", ...(section === "maintenance" ? times : {}) };
    const { body } = await owner.client.post(`${V1}/${section}`, fields);
    const path = `/app/${section}/${body.id}`;
    await owner.client.post(`${V1}/${section}/${body.id}/updates`, { message: "The newest" });
    for (const begin of [0, PART, 2 * PART]) {
      await addCopies(`${name}_updates`, [`${name}_id`, body.id], (n) => ({ message: "Old", created_at: begin + n }));
    }
    const form = new RegExp(`${path}/updates/[\\w-]+`, "g");
    const first = await browser.open(path);
    const address = nextIn(first.text, "updates");
    expect([countIn(first.text, form), address]).toEqual([PART, `${path}?updates=${PART}#timeline`]);
    const last = await browser.open(`${path}?updates=${3 * PART}`);
    const [oldest = ""] = last.text.match(form) ?? [];
    expect([countIn(last.text, form) > 0, last.text.includes("The newest")]).toEqual([true, false]);

    expect((await browser.open(oldest)).text).toMatch(/>\s*Old<\/textarea>/);
    const part = `${path}?updates=${3 * PART}#timeline`;
    const corrected = await browser.submit(oldest, { message: "Corrected" });
    expect([corrected.status, corrected.headers.get("location")]).toEqual([303, part]);
    expect((await browser.open(oldest)).text).toContain("Corrected");
    const deleted = await browser.submit(`${oldest}/delete`, { confirmation: "Long" });
    expect([deleted.status, deleted.headers.get("location")]).toEqual([303, part]);
    expect((await browser.open(oldest)).status).toBe(404);
  });
});

describe("the history of a monitor", () => {
  it.each([
    ["results", "No check has run yet."],
    ["outages", "None so far."],
    ["events", "None yet."],
  ])("has its %s under an address, for those who see the monitor", async (kind, empty) => {
    const path = `/app/monitors/${furnished.heartbeat}/${kind}`;
    expect((await browser.open(path)).text).toContain(empty);
    expect((await (await browserOf(await createAccount())).open(path)).status).toBe(404);
  });

  it("names the latency, region and data centre of each check, as far as they are known", async () => {
    const shard_id = newId();
    const { id } = await insertMonitor(owner.user_id, { shard_id });
    const at = Date.now();
    for (const [n, colo] of [null, "FRA"].entries()) {
      const entry = {
        monitor_id: id,
        checked_at: at + n,
        outcome: "success" as const,
        latency_ms: 2340,
        message: "",
        colo,
      };
      await proberObject(env, shard_id, "default").record({ slot_at: at + n, attempt: 0, key: "g", entries: [entry] });
    }
    const { text } = await browser.open(`/app/monitors/${id}/results`);
    expect(text.match(/<td dir="auto">default[^<]*<\/td>/g)).toEqual([
      `<td dir="auto">default, FRA</td>`,
      `<td dir="auto">default</td>`,
    ]);
    expect(countIn(text, /<td class="num">2,340 ms<\/td>/g)).toBe(2);
  });

  it("shows all outages in parts", async () => {
    const outage = { monitor_id: furnished.monitor, started_at: 1, seq: 1, cause: "first" };
    const stored = { ...outage, id: newId(), status_page_id: furnished.page, ended_at: 2, in_maintenance: 0 };
    const columns = Object.keys(stored);
    await env.DB.prepare(`INSERT INTO outages (${columns}) VALUES (${columns.map(() => "?")})`)
      .bind(...Object.values(stored))
      .run();
    await addCopies("outages", ["monitor_id", furnished.monitor], (n) => ({ started_at: n + 10, ended_at: n + 11 }));
    const detail = await browser.open(`/app/monitors/${furnished.monitor}`);
    expect(detail.text).toContain(`href="/app/monitors/${furnished.monitor}/outages"`);
    const first = await browser.open(`/app/monitors/${furnished.monitor}/outages`);
    expect(countIn(first.text, /<td class="wide">/g)).toBe(PART);
    expect(countIn((await browser.open(nextIn(first.text) ?? "")).text, /<td class="wide">/g)).toBe(1);
  });
});

describe("the audit log", () => {
  it("is filtered by person, by period and by monitor, with an address for each", async () => {
    const { email } = (await owner.client.get(`${CORE}/auth/me`)).body;
    const today = new Date().toISOString().slice(0, 10);
    const count = async (query: Record<string, string>) => {
      const { status, text } = await browser.open(`/app/audit?${new URLSearchParams(query)}`);
      expect(status).toBe(200);
      return countIn(text, /<tr><th scope="row"/g);
    };
    expect(await count({ actor: email, from: today, to: today })).toBeGreaterThan(0);
    expect(await count({ actor: "nobody@example.com" })).toBe(0);
    expect(await count({ to: "2020-01-01" })).toBe(0);
    expect(await count({ monitor: furnished.monitor })).toBeGreaterThan(0);
    expect(await count({ from: "yesterday" })).toBeGreaterThan(0);
    const { text } = await browser.open(
      `/app/audit?${new URLSearchParams({ event_type: "page.created", actor: email })}`,
    );
    const exported = /href="([^"]*audit\/export[^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const lines = (await browser.open(exported)).text.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).event_type)).toEqual(lines.map(() => "page.created"));
    const outsider = await browserOf(await createAccount());
    expect((await outsider.open(`/app/audit?monitor=${furnished.monitor}`)).status).toBe(400);
  });
});

describe("notifications", () => {
  it("are new on the overview until they are read", async () => {
    const person = await createAccount();
    const theirs = await browserOf(person);
    const id = await insertNotice(person.user_id);
    expect((await theirs.open("/app")).text).toContain('id="unread"');
    expect((await theirs.submit(`/app/notifications/${id}`, { is_read: "true" })).status).toBe(303);
    expect((await theirs.open("/app")).text).not.toContain('id="unread"');
    expect((await theirs.open("/app/notifications")).text).toContain("Mark as unread");
    expect((await browser.submit(`/app/notifications/${id}`, { is_read: "false" })).status).toBe(404);
  });

  it.each([
    "page.renamed",
    "constructor",
  ])("of the type %s, which this release does not know, are listed by their own text without a link", async (type) => {
    const person = await createAccount();
    const theirs = await browserOf(person);
    const id = await insertNotice(person.user_id, { title: "From a later release" });
    await env.DB.prepare("UPDATE notifications SET type = ? WHERE id = ?").bind(type, id).run();
    for (const path of ["/app", "/app/notifications"]) {
      const { status, text } = await theirs.open(path);
      expect([path, status, />From a later release<\/strong>/.test(text)]).toEqual([path, 200, true]);
    }
    const listed = await person.client.get(`${CORE}/notifications`);
    expect(listed).toMatchObject({ status: 200, body: [{ type, title: "From a later release" }] });
  });
});

describe("the profile", () => {
  it("changes the name, and says what is wrong with it", async () => {
    const path = "/app/account/profile";
    expect((await browser.submit(path, { name: "Ada" })).status).toBe(303);
    expect((await owner.client.get(`${CORE}/auth/me`)).body.name).toBe("Ada");
    const refused = await browser.submit(path, { name: "" });
    expect([refused.status, refused.text.includes('id="name-problem"')]).toEqual([400, true]);
  });
});

describe("many status pages", () => {
  it("are offered as a choice where a row of names would scroll on and on", async () => {
    const person = await createAccount();
    const theirs = await browserOf(person);
    const ids = await Promise.all(Array.from({ length: 7 }, (_, n) => createPage(person, { name: `Page ${n}` })));
    const { text } = await theirs.open(`/app/team?page=${ids[3]}`);
    expect(text).toMatch(new RegExp(`<option value="${ids[3]}" selected`));
    expect((await person.client.get(`${V1}/status-pages`)).body).toHaveLength(7);
  });
});
