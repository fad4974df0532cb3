import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { PagePayload } from "../../src/contract/public-page.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import {
  createPage,
  createShop,
  createVisitor,
  HOUR,
  insertIncident,
  insertIntervals,
  PAGES,
  setStatus,
  storedPage,
  summaryOf,
} from "../support/pages.ts";

const db = openDb(env.DB);
/** An isolate that asks the database every time, and one that remembers for as long as a test lasts. */
const visit = createVisitor({ PAGE_MEMO_MS: "0" });
const visitRemembering = createVisitor({ PAGE_MEMO_MS: "60000" });

describe("GET /status/:slug", () => {
  it("shows the page to everybody, with a strict policy and a short life in caches", async () => {
    const { path } = await createShop({ brand_color: "#123456" });
    const answer = await visit(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=15, stale-if-error=600");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/default-src 'none'; .*script-src 'self'/);
    const styles = [...answer.text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text = ""]) => text);
    const hashes = styles.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
    expect(hashes).toHaveLength(2);
    expect(policy).toContain(`style-src ${hashes.join(" ")};`);
    expect(styles[1]).toContain("--brand: #123456");
    expect(answer.text).toContain("All systems operational");
    expect(answer.text).toContain("Web shop");
    expect(answer.text).not.toMatch(/<script(?! src="\/assets\/)|\sstyle=|\son\w+=/i);
    const script = /<script src="(\/assets\/[^"]+)"/.exec(answer.text)?.[1] ?? "";
    expect((await visit(script)).headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });

  it.each([
    "nobody-has-this",
    "No%20slug",
    "%E2%80%A8",
    "a".repeat(500),
  ])("is a document with 404 for %s", async (slug) => {
    const answer = await visit(`/status/${slug}`);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([404, "no-store"]);
    expect(answer.text).toContain("<h1>Page not found</h1>");
  });

  it("answers 304 to readers who have the page already", async () => {
    const { path } = await createShop();
    const { headers } = await visitRemembering(path);
    const etag = headers.get("etag") ?? "";
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await visitRemembering(path, { "if-none-match": known });
      // A minute that ends between the two requests makes another page.
      if (again.headers.get("etag") === etag) expect([again.status, again.text]).toEqual([304, ""]);
    }
    expect((await visitRemembering(path, { "if-none-match": '"other"' })).status).toBe(200);
  });

  it("shows a change by the API to the next reader, regardless of the memo", async () => {
    const { account, page, path } = await createShop();
    expect((await account.client.get(path)).body).toContain("Northwind");
    await account.client.put(`${PAGES}/${page.id}`, { name: "Southwind" });
    expect((await account.client.get(path)).body).toContain("Southwind");
  });

  it("is built anew when the version has grown, with any content of KV", async () => {
    const { monitor, page, path } = await createShop();
    expect((await summaryOf(visit, path)).status.state).toBe("operational");
    await setStatus(monitor.id, page.id, "down");
    await storedPage(page.slug, 1);
    expect((await summaryOf(visit, path)).status.state).toBe("major_outage");
    await storedPage(page.slug, 2);
  });

  it("moves with its slug", async () => {
    const { account, page, path } = await createShop();
    await visit(path);
    const slug = `p-${newId()}`;
    await account.client.put(`${PAGES}/${page.id}`, { slug });
    expect([(await visit(path)).status, (await visit(`/status/${slug}`)).status]).toEqual([404, 200]);
  });
});

describe("groups", () => {
  it("are headings of the page, in their order, without those that head nothing", async () => {
    const { account, monitor, page, path } = await createShop();
    const group = async (name: string) =>
      (await account.client.post(`${V1}/groups`, { name, status_page_id: page.id })).body;
    const [shops, mail] = [await group("Shops"), await group("Mail"), await group("Empty")];
    const { client } = account;
    const smtp = await insertMonitor(account.user_id, { name: "Inbox", status_page_id: page.id, group_id: mail.id });
    await setStatus(smtp.id, page.id, "down");
    await client.put(`${V1}/monitors/${monitor.id}`, { group_id: shops.id });
    const order = [mail, shops].map(({ id }, n) => ({ id, order: n }));
    await client.put(`${V1}/groups/order`, { status_page_id: page.id, groups: order });

    const summary = await summaryOf(visit, path);
    expect(summary.groups).toEqual([mail, shops].map(({ id, name }) => ({ id, name })));
    expect(summary.monitors.find(({ name }) => name === "Inbox")?.group_id).toBe(mail.id);
    const headings = (await visit(path)).text.match(/<summary><h2[^>]*>[^<]*/g);
    expect(headings?.map((heading) => heading.split(">")[2])).toEqual(["Mail", "Shops"]);
    const { components } = JSON.parse((await visit(`${path}/api/v2/components.json`)).text);
    expect(components).toMatchObject([
      { name: "Web shop", group: false, group_id: shops.id },
      { name: "Inbox", group: false, group_id: mail.id, status: "major_outage" },
      { id: mail.id, name: "Mail", group: true, group_id: null, components: [smtp.id], status: "major_outage" },
      { id: shops.id, name: "Shops", group: true, components: [monitor.id], status: "operational" },
    ]);
    await client.delete(`${V1}/groups/${mail.id}`);
    expect((await summaryOf(visit, path)).groups).toMatchObject([{ name: "Shops" }]);
  });
});

describe("what the public sees", () => {
  it("is a description in Markdown, rendered safely", async () => {
    const { path } = await createShop({ description: "**All** of [it](https://a.example) <b>here</b>" });
    const { text } = await visit(path);
    expect(text).toContain("<strong>All</strong>");
    expect(text).toContain('href="https://a.example"');
    expect(text).not.toContain("<b>here");
  });

  it("has no paused monitor, no other page's and no unpublished incident", async () => {
    const { account, monitor, page, path } = await createShop();
    const resting = await insertMonitor(account.user_id, { name: "Resting", paused: true });
    await insertMonitor(account.user_id, { name: "Elsewhere" });
    await account.client.put(`${PAGES}/${page.id}`, { monitors: [monitor.id, resting.id] });
    const ids = { owner_id: account.user_id, status_page_id: page.id };
    const secret = await insertIncident({ ...ids, title: "Secret", is_public: false });
    await insertIncident(
      { ...ids, title: "Known" },
      { monitor_ids: [monitor.id, resting.id], messages: ["We look into it."] },
    );
    const summary = await summaryOf(visit, path);
    expect(summary.monitors.map(({ name }) => name)).toEqual(["Web shop"]);
    expect(summary.incidents).toMatchObject([
      { title: "Known", monitor_ids: [monitor.id], updates: [{ message: "We look into it." }] },
    ]);
    expect((await visit(`${path}/incidents/${secret}`)).status).toBe(404);
  });

  it("has no monitor whose target is internal", async () => {
    const { account, monitor, page, path } = await createShop();
    const inside = await insertMonitor(account.user_id, { name: "Inside", is_internal: true });
    await account.client.put(`${PAGES}/${page.id}`, { monitors: [monitor.id, inside.id] });
    expect((await summaryOf(visit, path)).monitors.map(({ name }) => name)).toEqual(["Web shop"]);
    expect((await visit(path)).text).not.toContain("Inside");
  });

  it("is nothing that has no place in the contract", async () => {
    const words = {
      target: "https://target.internal/",
      status_message: "connect to 10.0.0.7 refused",
      sealed: "sealed!",
    };
    const { account, monitor, page, path } = await createShop();
    await db.update(monitors).set(words).where(eq(monitors.id, monitor.id));
    await insertIncident({
      owner_id: account.user_id,
      status_page_id: page.id,
      tags: ["tag!"],
      assigned_to_id: "someone!",
    });
    const seen = [(await visit(path)).text, (await visit(`${path}/summary.json`)).text];
    const { payload } = await storedPage(page.slug, 2);
    seen.push(JSON.stringify(payload));
    for (const hidden of [...Object.values(words), "tag!", "someone!", account.user_id]) {
      for (const text of seen) expect(text).not.toContain(hidden);
    }
    expect(PagePayload.parse(payload)).toEqual(payload);
  });

  it("keeps resolved incidents for 14 days on the page, and for good at their own address", async () => {
    const { account, page, path } = await createShop();
    const resolved = (title: string, resolved_at: number) =>
      insertIncident(
        {
          owner_id: account.user_id,
          status_page_id: page.id,
          title,
          status: "resolved",
          started_at: resolved_at - HOUR,
          resolved_at,
        },
        { messages: [`${title}: all is well`] },
      );
    const days = 24 * HOUR;
    const recent = await resolved("Recent", Date.now() - 14 * days + HOUR);
    const old = await resolved("Old", Date.now() - 14 * days - HOUR);
    expect((await summaryOf(visit, path)).incidents.map(({ id }) => id)).toEqual([recent]);
    for (const id of [recent, old]) {
      const answer = await visit(`${path}/incidents/${id}`);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("all is well")]);
    }
    const other = await createShop();
    expect((await visit(`${other.path}/incidents/${old}`)).status).toBe(404);
    expect((await visit(`${path}/incidents/nonsense`)).status).toBe(404);
  });

  it("counts the days of the page's zone from the recorded intervals", async () => {
    const account = await createAccount();
    const start = Date.now() - 100 * 24 * HOUR;
    const monitor = await insertMonitor(account.user_id, { status: "up", status_since: start, created_at: start - 1 });
    const outage = Date.now() - 40 * 24 * HOUR;
    await insertIntervals(monitor.id, [
      [start, "up"],
      [outage, "down"],
      [outage + HOUR, "up"],
    ]);
    const page = await createPage(account, { monitors: [monitor.id], timezone: "Pacific/Kiritimati" });
    const summary = await summaryOf(visit, `/status/${page.slug}`);
    expect(summary.days).toHaveLength(90);
    expect(summary.days.at(-1)).toBe(new Date(Date.now() + 14 * HOUR).toISOString().slice(0, 10));
    const [shown] = summary.monitors;
    expect(shown?.daily_uptime_percentages[0]).toBe(100);
    const bad = shown?.daily_uptime_percentages.filter((percentage) => percentage !== 100) ?? [];
    expect(bad.length === 1 || bad.length === 2).toBe(true);
    expect(shown?.uptime_percentage).toBeGreaterThan(99.94);
    expect(shown?.uptime_percentage).toBeLessThan(99.96);
  });
});

describe("GET /status/:slug/summary.json", () => {
  it("may be read by every web site, and is not sent twice", async () => {
    const { path } = await createShop();
    const first = await visit(`${path}/summary.json`);
    expect(first.headers.get("access-control-allow-origin")).toBe("*");
    expect(first.headers.get("cache-control")).toBe("public, max-age=15, stale-if-error=600");
    const again = await visit(`${path}/summary.json`, { "if-none-match": first.headers.get("etag") ?? "" });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  it("is a 404 in the shape of every error where there is no page", async () => {
    const answer = await visit("/status/nobody-has-this/summary.json");
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([404, "status page not found"]);
  });
});

describe("a private page", () => {
  it("does not exist for the public from the change on, and exists again when it is public again", async () => {
    const { account, page, path } = await createShop();
    const incident = await insertIncident({ owner_id: account.user_id, status_page_id: page.id });
    const paths = [path, `${path}/summary.json`, `${path}/incidents/${incident}`];
    const statuses = async () =>
      (await Promise.all(paths.map((each) => visitRemembering(each)))).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 200, 200]);
    await storedPage(page.slug, 2);
    await account.client.put(`${PAGES}/${page.id}`, { is_public: false });
    expect(await statuses()).toEqual([404, 404, 404]);
    expect(await env.PAGES.get(`page:${page.slug}`)).toBeNull();
    await account.client.put(`${PAGES}/${page.id}`, { is_public: true });
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  it("is readable for its owner, and kept by no cache", async () => {
    const { account, path } = await createShop({ is_public: false });
    const answer = await visit(path, { authorization: `Bearer ${account.token}` });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    expect(answer.text).toContain("Web shop");
    expect(await env.PAGES.get(`page:${path.slice("/status/".length)}`)).toBeNull();
  });

  it("looks to others exactly as if it were not there", async () => {
    const { path } = await createShop({ is_public: false });
    const outsider = await createAccount();
    for (const credential of [undefined, `Bearer ${outsider.token}`, "Bearer sk_svc_x"]) {
      const headers: Record<string, string> = credential === undefined ? {} : { authorization: credential };
      const [hidden, absent] = [await visit(path, headers), await visit("/status/nobody-has-this", headers)];
      expect(hidden.status).toBe(absent.status);
      if (hidden.status === 404) expect(hidden.text).toBe(absent.text);
    }
  });
});
