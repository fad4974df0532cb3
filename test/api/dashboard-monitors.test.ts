import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { createClient, V1 } from "../support/client.ts";
import { createMonitor, createPage } from "../support/factories.ts";
import { type Browser, createBrowser } from "../support/forms.ts";
import { createAccountWithPassword, joinPage } from "../support/members.ts";

type Account = Awaited<ReturnType<typeof createAccountWithPassword>>;

async function signedIn({ email, password }: Account): Promise<Browser> {
  const browser = createBrowser();
  expect((await browser.submit("/app/sign-in", { email, password })).status).toBe(303);
  return browser;
}

const make = async ({ client }: Account, fields: Record<string, unknown>) =>
  String((await createMonitor(client, { paused: false, ...fields })).id);

let owner: Account;
let viewer: Account;
let outsider: Account;
let monitorId: string;
let sharedPageId: string;
let browsers: Record<"owner" | "viewer" | "outsider", Browser>;
beforeAll(async () => {
  [owner, viewer, outsider] = await Promise.all([
    createAccountWithPassword(),
    createAccountWithPassword(),
    createAccountWithPassword(),
  ]);
  const pageId = await createPage(owner);
  sharedPageId = pageId;
  monitorId = await make(owner, { name: "Shared", type: "heartbeat", status_page_id: pageId });
  await joinPage(viewer, pageId, { role: "viewer" });
  browsers = { owner: await signedIn(owner), viewer: await signedIn(viewer), outsider: await signedIn(outsider) };
});

const detail = () => `/app/monitors/${monitorId}`;
const buttonsIn = (text: string) =>
  [...text.replace(/<svg.*?<\/svg>/g, "").matchAll(/<button[^>]*>(Pause|Delete|Clone|Test now)</g)].map(
    ([, name]) => name,
  );

describe("a monitor in the dashboard", () => {
  it("stays muted when a form names no time that is offered", async () => {
    expect((await browsers.owner.submit(`${detail()}/mute`, { hours: "4" })).status).toBe(303);
    const muted = await owner.client.get(`${V1}/monitors/${monitorId}`);
    expect(muted.body.muted_until).not.toBeNull();
    expect((await browsers.owner.submit(`${detail()}/mute`, { hours: "12" })).status).toBe(400);
    expect((await browsers.owner.submit(`${detail()}/mute`)).status).toBe(400);
    expect((await owner.client.get(`${V1}/monitors/${monitorId}`)).body).toEqual(muted.body);
    expect((await browsers.owner.submit(`${detail()}/mute`, { hours: "0" })).status).toBe(303);
  });

  it("says when the next heartbeat is due, once there was one", async () => {
    const { client } = owner;
    const heartbeat = await createMonitor(client, { type: "heartbeat", paused: false, expected_interval: 3600 });
    const path = `/app/monitors/${heartbeat.id}`;
    expect((await browsers.owner.open(path)).text).not.toContain("Next heartbeat due");
    const { body } = await createClient(String(heartbeat.heartbeat_token)).post(`/heartbeat/${heartbeat.id}`);
    const { text } = await browsers.owner.open(path);
    expect(text).toMatch(new RegExp(`Next heartbeat due <time datetime="${body.next_expected_at}"`));
  });

  it.each([
    ["the time alone", "30 3 * * *", { rhythm: "daily", rhythm_at: "04:05" }, { schedule: "5 4 * * *" }],
    ["the days alone", "5 3 * * *", { rhythm: "weekly", rhythm_at: "03:05" }, { schedule: "5 3 * * 1" }],
    ["to a cron line", null, { rhythm: "cron", schedule: "*/5 * * * *" }, { schedule: "*/5 * * * *" }],
    [
      "to an interval",
      "5 3 * * *",
      { rhythm: "interval", interval: "300" },
      { schedule: null, expected_interval: 300 },
    ],
  ])("changes when a job runs: %s", async (_what, schedule, form, saved) => {
    const id = await make(owner, { name: "Backup", type: "heartbeat", schedule });
    const path = `/app/monitors/${id}`;
    await browsers.owner.submit(`${path}/edit`, { name: "Backup", type: "heartbeat", ...form });
    expect((await owner.client.get(`${V1}/monitors/${id}`)).body).toMatchObject(saved);
  });

  it("asks for the cron schedule that was chosen and not entered", async () => {
    const id = await make(owner, { name: "Backup", type: "heartbeat", expected_interval: 300 });
    const form = { name: "Backup", type: "heartbeat", rhythm: "cron" };
    const { text } = await browsers.owner.submit(`/app/monitors/${id}/edit`, form);
    expect(text).toMatch(/id="schedule-problem"/);
  });

  it("is said to be checked once it is resumed only where something checks it", async () => {
    for (const [type, said] of [
      ["heartbeat", "Resumed.<"],
      ["http", "Resumed, and checked at once.<"],
    ]) {
      const target = type === "http" ? "http://sink.test/" : undefined;
      const path = `/app/monitors/${await make(owner, { name: "Resumed", type, target, paused: true })}`;
      await browsers.owner.submit(`${path}/resume`);
      expect((await browsers.owner.open(path)).text).toContain(said);
    }
  });

  it.each([
    ["nothing of what nobody chose", "https", { target: "https://shop.example" }, undefined],
    [
      "what somebody chose",
      "https",
      { target: "https://shop.example", http_method: "HEAD", tags: ["shop"], timeout_seconds: 5 },
      "HTTP method, Tags, Time-out, seconds",
    ],
    ["nothing of what nobody chose", "postgres", { target: "db.example.com:5432" }, undefined],
    ["nothing of what nobody chose", "heartbeat", { target: undefined }, undefined],
  ])("says of the folded part of its form %s, of type %s", async (_name, type, fields, labels) => {
    const id = await make(owner, { type, ...fields });
    const { text } = await browsers.owner.open(`/app/monitors/${id}/edit`);
    const summary = /id="advanced".*?<\/summary>/s.exec(text)?.[0] ?? "";
    expect(summary).toContain("Advanced");
    expect(/Set: ([^<]*)/.exec(summary)?.[1]).toBe(labels);
  });

  it("says its activity as sentences, with the time of each change itself", async () => {
    const { client } = owner;
    const heartbeat = await createMonitor(client, { name: "Backup", type: "heartbeat", paused: false });
    await createClient(String(heartbeat.heartbeat_token)).post(`/heartbeat/${heartbeat.id}`);
    const since = async () => (await client.get(`${V1}/monitors/${heartbeat.id}/events`)).body[0]?.at;
    await vi.waitFor(async () => expect(await since()).toBeDefined(), 10_000);
    const { text } = await browsers.owner.open(`/app/monitors/${heartbeat.id}`);
    const activity = /id="changes">[\s\S]*?<\/ul>/.exec(text)?.[0] ?? "";
    const sentence = '<p dir="auto">Monitor &quot;Backup&quot; is up for the first time</p>';
    expect(activity).toContain(sentence);
    expect(activity.slice(activity.indexOf(sentence))).toMatch(
      new RegExp(`^[^<]*${sentence}<p class="quiet"><time datetime="${await since()}"`),
    );
    expect(activity).toContain(`<p dir="auto">${owner.email} created monitor`);
  });

  it("lets its owner choose how many members of a composite have to be down, and says it", async () => {
    const { client } = owner;
    const members = await Promise.all(["A", "B", "C"].map((name) => make(owner, { name, type: "heartbeat" })));
    const id = await make(owner, { type: "composite", target: undefined, child_ids: members });
    const path = `/app/monitors/${id}`;
    const downWhen = async () =>
      /<dt>Down when<\/dt><dd[^>]*>([^<]*)/.exec((await browsers.owner.open(path)).text)?.[1];
    expect(await downWhen()).toBe("any member is down");
    expect((await browsers.owner.open(`${path}/edit`)).text).toContain("Composite is down when");
    const edited = { name: "Cluster", type: "composite", composite_policy: "at_least:2" };
    expect((await browsers.owner.submit(`${path}/edit`, edited)).status).toBe(303);
    expect((await client.get(`${V1}/monitors/${id}`)).body).toMatchObject({ composite_policy: "at_least:2" });
    expect(await downWhen()).toBe("at least 2 members are down");
  });

  it("offers each member what they may do", async () => {
    const seen = await Promise.all([browsers.owner.open(detail()), browsers.viewer.open(detail())]);
    expect(seen.map(({ status, text }) => [status, buttonsIn(text)])).toEqual([
      [200, ["Pause", "Clone", "Delete"]],
      [200, []],
    ]);
    expect(seen[0]?.text).toContain("hb_");
    expect(seen[1]?.text).not.toContain("hb_");
  });

  it("is nothing to an outsider, and not for a viewer to change", async () => {
    for (const path of [detail(), `${detail()}/edit`, `${detail()}/delete`]) {
      expect((await browsers.outsider.open(path)).status).toBe(404);
    }
    expect((await browsers.viewer.open(`${detail()}/edit`)).status).toBe(403);
    expect((await browsers.outsider.submit(`${detail()}/pause`)).status).toBe(404);
    expect((await browsers.viewer.submit(`${detail()}/pause`)).status).toBe(403);
    expect((await browsers.outsider.open("/app/monitors")).text).not.toContain("Shared");
    const { body } = await owner.client.get(`${V1}/monitors/${monitorId}`);
    expect(body).toMatchObject({ paused: false });
  });

  it("sends a visitor to sign in, and back to it", async () => {
    const answer = await createBrowser().open(detail());
    const next = encodeURIComponent(detail());
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `/app/sign-in?next=${next}`]);
  });

  it("is not changed by a form of another site", async () => {
    const foreign = createBrowser({ origin: "https://evil.test", cookie: "" });
    expect((await foreign.submit(`${detail()}/pause`)).status).toBe(303);
    const answer = await browsers.owner.submit(`${detail()}/pause`, {}, { origin: "https://evil.test" });
    expect(answer.status).toBe(403);
  });
});

describe("the selected monitors", () => {
  it("are tagged, moved and deleted together, those of others left alone", async () => {
    const ids = await Promise.all(["One", "Two"].map((name) => make(owner, { name, type: "heartbeat" })));
    const pageId = await createPage(owner);
    const chosen = (fields: Record<string, string>) => [
      ...[...ids, monitorId].map((id) => ["id", id] as [string, string]),
      ...Object.entries(fields),
    ];
    const tagged = await browsers.viewer.submit("/app/monitors/selected", chosen({ action: "tag", new_tag: "x" }));
    expect(decodeURIComponent(tagged.headers.get("set-cookie") ?? "")).toContain(
      "0 monitors tagged. 3 monitors were left unchanged:",
    );
    await browsers.owner.submit("/app/monitors/selected", chosen({ action: "tag", new_tag: "x" }));
    const moved = chosen({ action: "move", destination: `page:${pageId}` }).slice(0, 2);
    await browsers.owner.submit("/app/monitors/selected", [
      ...moved,
      ["action", "move"],
      ["destination", `page:${pageId}`],
    ]);
    const stored = await Promise.all(ids.map((id) => owner.client.get(`${V1}/monitors/${id}`)));
    expect(stored.map(({ body }) => body)).toMatchObject(ids.map(() => ({ tags: ["x"], status_page_id: pageId })));

    const group = await owner.client.post(`${V1}/groups`, { name: "Core", status_page_id: sharedPageId });
    const grouped = ids.map((id) => ["id", id] as [string, string]);
    const destination = `group:${group.body.id}:${sharedPageId}`;
    await browsers.owner.submit("/app/monitors/selected", [
      ...grouped,
      ["action", "move"],
      ["destination", destination],
    ]);
    const inGroup = await Promise.all(ids.map((id) => owner.client.get(`${V1}/monitors/${id}`)));
    expect(inGroup.map(({ body }) => body)).toMatchObject(ids.map(() => ({ group_id: group.body.id })));

    const elsewhere = `group:${group.body.id}:${pageId}`;
    const refused = await browsers.owner.submit("/app/monitors/selected", [
      ...grouped,
      ["action", "move"],
      ["destination", elsewhere],
    ]);
    expect(decodeURIComponent(refused.headers.get("set-cookie") ?? "")).toMatch(
      /2 monitors were left unchanged: group id must/,
    );

    const two = ids.map((id) => ["id", id] as [string, string]);
    const asked = await browsers.owner.submit("/app/monitors/selected", [...two, ["action", "delete"]]);
    expect([asked.status, asked.text.includes("One</li>"), asked.text.includes("Two</li>")]).toEqual([200, true, true]);
    await browsers.owner.submit("/app/monitors/selected", [...two, ["action", "delete"], ["confirmation", "yes"]]);
    for (const id of ids) expect((await owner.client.get(`${V1}/monitors/${id}`)).status).toBe(404);
  });
});

describe("what the selected monitors depend on", () => {
  it("is chosen for all of them, joins what each depends on already, and can be taken away again", async () => {
    const [router, power, shop, mail] = await Promise.all(
      ["Router", "Power", "Shop", "Mail"].map((name) => make(owner, { name, type: "heartbeat" })),
    );
    await owner.client.put(`${V1}/monitors/${shop}`, { depends_on: [power] });
    const post = (fields: [string, string][]) =>
      browsers.owner.submit("/app/monitors/selected", [
        ...[router, shop, mail].map((id) => ["id", `${id}`] as [string, string]),
        ...fields,
      ]);
    const asked = await post([["action", "depend"]]);
    expect(asked.status).toBe(200);
    expect(asked.text).toContain("What 3 monitors depend on");
    const none = await post([
      ["action", "depend"],
      ["parents_offered", "1"],
    ]);
    expect([none.status, none.text.includes("Choose at least one monitor.")]).toEqual([400, true]);

    const chosen: [string, string][] = [
      ["parents_offered", "1"],
      ["parents", `${router}`],
    ];
    const added = await post([["action", "depend"], ...chosen]);
    expect(decodeURIComponent(added.headers.get("set-cookie") ?? "")).toContain("3 monitors changed.");
    const parentsOf = async (id = "") => {
      const { body } = await owner.client.get(`${V1}/monitors/${id}`);
      return body.depends_on.toSorted();
    };
    expect(await parentsOf(shop)).toEqual([power, router].toSorted());
    expect(await parentsOf(mail)).toEqual([router]);
    expect(await parentsOf(router)).toEqual([]);

    await post([["action", "release"], ...chosen]);
    expect([await parentsOf(shop), await parentsOf(mail)]).toEqual([[power], []]);
  });

  it("is refused where it would lead back to one of them, in words", async () => {
    const [one, two] = await Promise.all(["One", "Two"].map((name) => make(owner, { name, type: "heartbeat" })));
    await owner.client.put(`${V1}/monitors/${two}`, { depends_on: [one] });
    const refused = await browsers.owner.submit("/app/monitors/selected", [
      ["id", `${one}`],
      ["action", "depend"],
      ["parents_offered", "1"],
      ["parents", `${two}`],
    ]);
    expect(decodeURIComponent(refused.headers.get("set-cookie") ?? "")).toMatch(
      /0 monitors changed\. 1 monitor was left unchanged: depends on/,
    );
  });
});

describe("the list of a thousand monitors", () => {
  it("shows a page of them, sorted and escaped", async () => {
    const account = await createAccountWithPassword();
    const first = await make(account, { name: "<img src=x onerror=alert(1)>", type: "heartbeat" });
    const columns = (await env.DB.prepare("SELECT name FROM pragma_table_info('monitors')").all<{ name: string }>())
      .results;
    const names = columns.map(({ name }) => name);
    const values = names.map(
      (name) =>
        ({ id: "m.id || '-' || n.value", name: "'Monitor ' || n.value", position: "n.value" })[name] ?? `m.${name}`,
    );
    await env.DB.prepare(
      `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 999)
       INSERT INTO monitors (${names.join(", ")}) SELECT ${values.join(", ")} FROM monitors m, n WHERE m.id = ?`,
    )
      .bind(first)
      .run();
    const browser = await signedIn(account);
    const { text } = await browser.open("/app/monitors");
    expect(text.match(/<li class="monitor" id=/g)).toHaveLength(50);
    expect(text).toContain("1,000 monitors");
    expect(text).toContain("&lt;img src=x");
    expect(text).not.toContain("<img src=x");
    const sorted = await browser.open("/app/monitors?sort=name&offset=950");
    expect(sorted.text).toContain("951–1000 of 1000");
    const found = await browser.open("/app/monitors?q=monitor+77&sort=name");
    expect(found.text).toContain("11 monitors");
    const odd = await browser.open("/app/monitors?status=broken&sort=none&offset=-1&page=x");
    expect(odd.status).toBe(200);
  });
});
