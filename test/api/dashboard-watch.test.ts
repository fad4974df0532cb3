import { beforeAll, describe, expect, it, vi } from "vitest";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";

const WATCH = "/app/monitors/watch";
const outside = vi.spyOn(globalThis, "fetch");
let owner: Account;
let browser: Browser;
beforeAll(async () => {
  outside.mockImplementation(async () => new Response("ok"));
  owner = await createAccount();
  browser = await browserOf(owner);
});

const monitors = async () => (await owner.client.get(`${V1}/monitors`)).body as Record<string, unknown>[];
const read = (text: string) => text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

describe("one field", () => {
  it("proposes what was entered, checks it at once and saves nothing", async () => {
    const { status, text } = await browser.submit(WATCH, { what: "sink.test" });
    expect([status, read(text)]).toEqual([200, expect.stringMatching(/HTTPS https:\/\/sink\.test.*Up.*\d+ ms/)]);
    expect(text).toMatch(/name="name" value="sink.test"/);
    expect(await monitors()).toEqual([]);
  });

  it("adds it with its certificate, on a page that is made with it", async () => {
    const fields = {
      what: "sink.test",
      intent: "add",
      pick: "0",
      name: "Shop",
      interval: "300",
      status_page_id: "new",
    };
    const { status, headers } = await browser.submit(WATCH, { ...fields, certificate: "on" });
    expect([status, headers.get("location")]).toEqual([303, expect.stringMatching(/^\/app\/monitors\/[\w-]{36}$/)]);
    const [page] = (await owner.client.get(`${V1}/status-pages`)).body as Record<string, unknown>[];
    expect(page).toMatchObject({ name: "Shop", slug: "shop", is_public: true });
    const made = await monitors();
    expect(made.map(({ type, name, interval }) => [type, name, interval])).toEqual([
      ["https", "Shop", 300],
      ["ssl", "Certificate of sink.test", expect.any(Number)],
    ]);
    expect(made.map(({ status_page_id }) => status_page_id)).toEqual([page?.id, page?.id]);
  });

  it("adds an alert on the phone with it, as long as there is no channel yet", async () => {
    const account = await createAccount();
    const theirs = await browserOf(account);
    expect((await theirs.submit(WATCH, { what: "sink.test" })).text).toContain('name="phone"');
    const fields = { what: "sink.test", intent: "add", pick: "0", name: "Shop", interval: "300", phone: "on" };
    const { headers } = await theirs.submit(WATCH, fields);
    const [channel] = (await account.client.get(`${V1}/webhooks`)).body;
    expect(channel).toMatchObject({ provider: "ntfy", is_active: true });
    expect(headers.get("location")).toBe(`/app/alerts/${channel.id}/edit`);
    expect(await account.client.get(`${V1}/monitors`)).toMatchObject({ body: [{ name: "Shop" }] });
    expect((await theirs.submit(WATCH, { what: "sink.test" })).text).not.toContain('name="phone"');
  });

  it("says what it does not understand, and keeps it", async () => {
    const { status, text } = await browser.submit(WATCH, { what: "watch my shop" });
    expect([status, read(text)]).toEqual([
      400,
      expect.stringContaining("Nothing to watch was found in “watch my shop”"),
    ]);
    expect(text).toContain(">watch my shop</textarea>");
    expect((await browser.submit(WATCH, { what: " " })).text).toContain("Enter what should be watched.");
  });

  it("leads to all settings with what it found", async () => {
    const fields = { what: "0 3 * * *", type: "heartbeat", schedule: "0 3 * * *", rhythm: "cron", name: "Backup" };
    const { status, text } = await browser.submit("/app/monitors/new", { ...fields, intent: "fields" });
    expect([status, text]).toEqual([200, expect.stringMatching(/name="schedule"[^>]*value="0 3 \* \* \*"/)]);
  });
});

describe("a pasted list", () => {
  it("adds those that were chosen, under their names, and keeps those that were refused with the reason", async () => {
    const account = await createAccount();
    const theirs = await browserOf(account);
    const page = await createPage(account);
    const what = "Shop,https://shop.test\n0 3 * * * backup.sh\n10.0.0.1\nleft.test";
    const shown = await theirs.submit(WATCH, { what });
    expect(shown.text.match(/name="pick"/g)?.length).toBe(4);
    const fields: [string, string][] = [
      ...Object.entries({ what, intent: "add", interval: "60", status_page_id: page, name_1: "Nightly" }),
      ...["0", "1", "2"].map((n): [string, string] => ["pick", n]),
    ];
    const { status, text } = await theirs.submit(WATCH, fields);
    expect([status, read(text)]).toEqual([
      400,
      expect.stringMatching(/2 monitors added\..*Target cannot be checked from here/),
    ]);
    expect([...text.matchAll(/name="name_(\d)"/g)].map(([, n]) => n)).toEqual(["2", "3"]);
    const made = (await account.client.get(`${V1}/monitors`)).body as Record<string, unknown>[];
    expect(made.map(({ type, name, status_page_id }) => [type, name, status_page_id])).toEqual([
      ["https", "Shop", page],
      ["heartbeat", "Nightly", page],
    ]);
    expect((await account.client.get(`${V1}/monitors/${made[1]?.id}`)).body).toMatchObject({ schedule: "0 3 * * *" });
    const again: [string, string][] = [...fields.filter(([name]) => name !== "pick"), ["done", "0"], ["done", "1"]];
    const last = await theirs.submit(WATCH, [...again, ["pick", "0"], ["pick", "3"]]);
    expect([last.status, last.headers.get("location")]).toEqual([303, expect.stringMatching(/^\/app\/monitors\/.+/)]);
    expect(((await account.client.get(`${V1}/monitors`)).body as unknown[]).length).toBe(3);
  });
});

describe("the address of a heartbeat", () => {
  it("is replaced by a button beside it, and the old one is refused", async () => {
    const { id, heartbeat_token } = (await owner.client.post(`${V1}/monitors`, { name: "Job", type: "heartbeat" }))
      .body;
    const { status, headers } = await browser.submit(`/app/monitors/${id}/replace-credential`);
    expect([status, headers.get("location")]).toEqual([303, `/app/monitors/${id}`]);
    expect((await owner.client.get(`${V1}/monitors/${id}`)).body.heartbeat_token).not.toBe(heartbeat_token);
    const checked = (
      await owner.client.post(`${V1}/monitors`, { name: "Site", type: "http", target: "http://sink.test" })
    ).body;
    expect((await browser.submit(`/app/monitors/${checked.id}/replace-credential`)).status).toBe(400);
    expect(
      (await browser.submit(`/app/monitors/${id}/replace-credential`, {}, { origin: "https://evil.example" })).status,
    ).toBe(403);
  });
});

describe("what a notice takes back", () => {
  it("is the pause of the monitors that it paused, and of no other", async () => {
    const account = await createAccount();
    const theirs = await browserOf(account);
    const make = async (name: string) =>
      (await account.client.post(`${V1}/monitors`, { name, type: "heartbeat" })).body.id;
    const [running, resting] = [String(await make("Running")), String(await make("Resting"))];
    await account.client.post(`${V1}/monitors/${resting}/pause`);
    const fields: [string, string][] = [
      ["action", "pause"],
      ["back", "/app/monitors"],
      ["id", running],
      ["id", resting],
    ];
    await theirs.submit("/app/monitors/selected", fields);
    const { text } = await theirs.open("/app/monitors");
    const notice = /<div class="notice".*?<\/div>/s.exec(text)?.[0] ?? "";
    expect([notice.includes("2 monitors paused."), notice.includes(">Undo<")]).toEqual([true, true]);
    const hidden = [...notice.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]): [string, string] => [name, value],
    );
    await theirs.submit(/action="([^"]+)"/.exec(notice)?.[1] ?? "", hidden);
    const statusOf = async (id: string) => (await account.client.get(`${V1}/monitors/${id}`)).body.status;
    expect(await Promise.all([statusOf(running), statusOf(resting)])).toEqual(["pending", "paused"]);
    expect((await theirs.open("/app/monitors")).text).not.toContain("2 monitors paused.");
  });
});
