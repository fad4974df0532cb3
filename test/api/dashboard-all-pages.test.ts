import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { FREE_PER_INVOCATION } from "../../src/domain/free-plan.ts";
import worker from "../../src/worker.ts";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { ORIGIN } from "../support/forms.ts";
import { limitDatabase } from "../support/limited-database.ts";
import { joinPage } from "../support/members.ts";

/** Of each person half are their own, the others those of a team. */
const FEW = 2;
const MANY = 12;

interface Listed {
  path: string;
  /** Adds something of this name to a page. */
  add(page: string, name: string, owner: Account): Promise<unknown>;
  /** The button that leads to a new one, and where it leads on a page. */
  create?: { text: string; href(page: string): string };
  /** Or the form that asks for the status page itself. */
  form?: string;
}

const LATER = { start_time: "2031-01-01T10:00:00Z", end_time: "2031-01-01T11:00:00Z" };

const LISTS: Record<string, Listed> = {
  rules: {
    path: "/app/rules",
    add: (page, name, owner) =>
      owner.client.post(`${V1}/status-pages/${page}/events/rules`, {
        display_name: name,
        event_name: "monitor.down",
      }),
    create: { text: "New rule", href: (page) => `/app/rules/${page}/new` },
  },
  members: {
    path: "/app/team",
    add: (page, name, owner) =>
      owner.client.post(`${V1}/status-pages/${page}/members`, {
        email: `${name.toLowerCase().replaceAll(" ", "-")}@team.example`,
        name,
        role: "viewer",
      }),
    create: { text: "Invite member", href: (page) => `/app/team/${page}/invite` },
  },
  schedules: {
    path: "/app/on-call",
    add: (page, name, owner) =>
      owner.client.post(`${V1}/status-pages/${page}/on-call/schedules`, {
        name,
        rotations: [{ user_ids: [owner.user_id], start_at: "2026-01-01T08:00:00Z", period_hours: 24 }],
      }),
    create: { text: "New schedule", href: (page) => `/app/on-call/${page}/schedules/new` },
  },
  "escalation policies": {
    path: "/app/on-call",
    add: (page, name, owner) => {
      const contacts = ["a", "b"].map((path) => ({ type: "webhook", value: `https://receiver.example/${path}` }));
      return owner.client.post(`${V1}/status-pages/${page}/on-call/policies`, {
        name,
        steps: [{ level: 1, contacts }],
      });
    },
    create: { text: "New escalation policy", href: (page) => `/app/on-call/${page}/policies/new` },
  },
  "incident templates": {
    path: "/app/incidents/templates",
    add: (page, name, owner) =>
      owner.client.post(`${V1}/status-pages/${page}/incident-templates`, { name, title: "Slow" }),
    create: { text: "New template", href: (page) => `/app/incidents/templates/${page}/new` },
  },
  channels: {
    path: "/app/alerts",
    add: (status_page_id, name, owner) => {
      const url = `https://receiver.example/${status_page_id}`;
      return owner.client.post(`${V1}/webhooks`, { status_page_id, name, url });
    },
  },
  agents: {
    path: "/app/agents",
    add: (status_page_id, name, owner) => owner.client.post(`${V1}/agents`, { status_page_id, name }),
  },
  incidents: {
    path: "/app/incidents",
    add: (status_page_id, title, owner) => owner.client.post(`${V1}/incidents`, { status_page_id, title }),
    form: "/app/incidents/new",
  },
  "maintenance windows": {
    path: "/app/maintenance",
    add: (status_page_id, title, owner) => owner.client.post(`${V1}/maintenance`, { status_page_id, title, ...LATER }),
    form: "/app/maintenance/new",
  },
};

interface Person {
  cookie: string;
  pages: { id: string; name: string }[];
}

async function createPerson(pages: number): Promise<Person> {
  const [person, other] = await Promise.all([createAccount(), createAccount()]);
  const made = await Promise.all(
    Array.from({ length: pages }, async (_, n) => {
      const owner = n % 2 === 0 ? person : other;
      const name = `Page ${String.fromCharCode(65 + n)}`;
      const id = await createPage(owner, { name });
      if (owner === other) await joinPage(person, id, { role: "admin" });
      for (const [kind, { add }] of Object.entries(LISTS)) await add(id, `Of ${kind} ${n}`, owner);
      return { id, name };
    }),
  );
  return { cookie: (await browserOf(person)).cookies(), pages: made };
}

/** A view, and how many queries of the database it took, of which Workers Free gives one invocation fifty. */
async function open({ cookie }: Person, path: string) {
  const { database, queries } = limitDatabase(env.DB, FREE_PER_INVOCATION.queries);
  const context = createExecutionContext();
  const request = new Request<unknown, IncomingRequestCfProperties>(ORIGIN + path, { headers: { cookie } });
  const response = await worker.fetch(request, { ...env, DB: database }, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { status: response.status, text, queries: queries.length };
}

let few: Person;
let many: Person;
let single: Person;
beforeAll(async () => {
  [few, many, single] = await Promise.all([createPerson(FEW), createPerson(MANY), createPerson(1)]);
  // A session is written to now and then as it is used: once here, and not by one of two views that are compared.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  for (const person of [few, many]) await open(person, "/app");
  return () => vi.useRealTimers();
});

const rowsOf = (text: string) => text.match(/<tr[^>]*><th scope="row".*?<\/tr>|<li.*?<\/li>/gs) ?? [];

describe.each(Object.entries(LISTS))("the list of %s", (kind, { path }) => {
  const names = (text: string) =>
    Array.from({ length: MANY }, (_, n) => n).filter((n) => text.includes(`>Of ${kind} ${n}<`));

  it("is of all status pages, and says of each entry of which it is", async () => {
    const { status, text } = await open(many, path);
    expect([status, names(text)]).toEqual([200, many.pages.map((_, n) => n)]);
    for (const [n, { name }] of many.pages.entries()) {
      const row = rowsOf(text).find((each) => each.includes(`>Of ${kind} ${n}<`));
      expect([n, row?.includes(name)]).toEqual([n, true]);
    }
  });

  it("is of the one that its address names, and asks as many queries for many as for few", async () => {
    for (const n of [0, 1]) {
      const { text } = await open(many, `${path}?page=${many.pages[n]?.id}`);
      expect(names(text)).toEqual([n]);
    }
    expect((await open(many, path)).queries).toBe((await open(few, path)).queries);
  });
});

const MENUS = Object.entries(LISTS).flatMap(([kind, { path, create }]) => (create ? [{ kind, path, create }] : []));
describe.each(MENUS)("a new one in the list of $kind", ({ path, create }) => {
  it("asks for the status page of a new one where there are several", async () => {
    const [first, second] = few.pages;
    const offered = ({ text }: { text: string }) =>
      few.pages.map(({ id }) => text.includes(`href="${create.href(id)}"`));
    const all = await open(few, path);
    expect([offered(all), all.text.includes(`>${create.text}</summary>`)]).toEqual([[true, true], true]);
    expect(offered(await open(few, `${path}?page=${second?.id}`))).toEqual([false, true]);
    expect(offered(await open(few, `${path}?page=${first?.id}`))).toEqual([true, false]);
  });
});

const FORMS = Object.entries(LISTS).flatMap(([kind, { path, form }]) => (form ? [{ kind, path, form }] : []));
describe.each(FORMS)("the form of the list of $kind", ({ path, form }) => {
  it("chooses a status page only where there is one, or one is chosen", async () => {
    const chosen = async (person: Person, query = "") => {
      const { text } = await open(person, form + query);
      const select = text.match(/<select[^>]*name="status_page_id".*?<\/select>/s)?.[0] ?? "";
      return select.match(/<option value="([^"]*)" selected/)?.[1] ?? null;
    };
    const [id] = few.pages.map((page) => page.id);
    expect((await open(few, path)).text).toContain(`href="${form}"`);
    expect((await open(few, `${path}?page=${id}`)).text).toContain(`href="${form}?status_page_id=${id}"`);
    expect([await chosen(few), await chosen(few, `?status_page_id=${id}`)]).toEqual([null, id]);
    expect(await chosen(single)).toBe(single.pages[0]?.id);
  });
});

describe("routing", () => {
  it("lists what each status page decides, until its address names one", async () => {
    const [first, second] = few.pages;
    const all = await open(few, "/app/alerts/routing");
    const rows = rowsOf(all.text).filter((row) => row.startsWith("<tr"));
    expect(rows.map((row) => few.pages.filter(({ name }) => row.includes(`>${name}<`)).length)).toEqual([1, 1]);
    expect(rows.filter((row) => row.includes("Default"))).toHaveLength(2);
    expect(all.text).not.toContain('name="monitor.down"');
    for (const page of [first, second]) {
      const { text } = await open(few, `/app/alerts/routing?page=${page?.id}`);
      expect([text.includes('name="monitor.down"'), text.includes(`/app/alerts/routing/${page?.id}"`)]).toEqual([
        true,
        true,
      ]);
    }
    expect((await open(single, "/app/alerts/routing")).text).toContain('name="monitor.down"');
    expect((await open(many, "/app/alerts/routing")).queries).toBe((await open(few, "/app/alerts/routing")).queries);
  });
});
