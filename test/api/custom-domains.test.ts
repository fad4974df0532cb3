import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { createApp } from "../../src/app.ts";
import { customDomains } from "../../src/data/custom-domains/table.ts";
import { openDb } from "../../src/data/db.ts";
import { sweepDomains } from "../../src/features/custom-domains/service.ts";
import { newId } from "../../src/platform/ids.ts";
import { serveCustomHostnames } from "../support/custom-hostnames.ts";
import { createAccount } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { joinPage } from "../support/members.ts";
import { createPage, createShop, HOUR, insertIncident, PAGES } from "../support/pages.ts";
import { hang, useSink } from "../support/sink.ts";
import { useSubscriberQueue } from "../support/subscribers.ts";
import { serveZones } from "../support/zones.ts";

const MINUTE = 60_000;
const DAY = 24 * HOUR;
const RESOLVER = "https://sink.test/dns-query";
const CF = "https://sink.test/cf";
const bindings = { ...env, DOH_RESOLVERS: RESOLVER, PUBLIC_URL: "https://vigil.acme.com" };
const withProvider = { ...bindings, CF_API_TOKEN: "cf-token", CF_ZONE_ID: "zone", CF_API_BASE: CF };

const TARGET = "vigil.acme.com";
const sink = useSink();
const zones = serveZones(sink, RESOLVER);
const provider = serveCustomHostnames(sink, CF, { zone: "zone", token: "cf-token" });
const queue = useSubscriberQueue();
const freshHost = () => `status-${newId()}.example.com`;
const sslOf = (page: { id: string }) => `${PAGES}/${page.id}/ssl`;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => void vi.useRealTimers());

async function claim(hostname = freshHost(), fields: Record<string, unknown> = { ssl_type: "none" }) {
  const { account, page } = await createShop();
  const { status, body } = await account.client.put(sslOf(page), { custom_domain: hostname, ...fields });
  return { account, page, hostname, status, body };
}

/** What the name's zone holds from now on. */
const publish = (hostname: string, ...texts: string[]) => zones.set(`_vigil.${hostname}`, "TXT", ...texts);
const point = (hostname: string, ...targets: string[]) => zones.set(hostname, "CNAME", ...targets);

/** Sweeps these claims alone, in this order: those of other tests are not due. */
async function sweep(hostnames: string | readonly string[], changes: Record<string, unknown> = bindings) {
  const db = openDb(env.DB);
  await db.update(customDomains).set({ next_check_at: Date.now() + 365 * DAY });
  for (const [next_check_at, hostname] of [hostnames].flat().entries()) {
    await db.update(customDomains).set({ next_check_at }).where(eq(customDomains.hostname, hostname));
  }
  await sweepDomains(jobScope({ ...env, ...changes } as never, "test"));
}

type Claimed = { hostname: string; body: { records: { value: string }[] } };

/** Both records are in the zone. */
function fulfil({ hostname, body }: Claimed) {
  publish(hostname, "other", body.records[0]?.value ?? "");
  point(hostname, `${TARGET}.`);
}

async function prove(claimed: Claimed) {
  fulfil(claimed);
  await sweep(claimed.hostname);
}

async function visit(host: string, path = "/", changes: Record<string, unknown> = bindings, init: RequestInit = {}) {
  const context = createExecutionContext();
  const response = await createApp().fetch(
    new Request(`https://${host}${path}`, init),
    { ...env, ...changes } as never,
    context,
  );
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { status: response.status, headers: response.headers, text };
}

const row = async (hostname: string) =>
  (await openDb(env.DB).select().from(customDomains).where(eq(customDomains.hostname, hostname)))[0];

describe("PUT /status-pages/{id}/ssl", () => {
  it("says what has to be in the name's zone, and serves nothing yet", async () => {
    const { account, page, hostname, status, body } = await claim();
    expect(status).toBe(200);
    expect(body).toEqual({
      custom_domain: hostname,
      ssl_type: "none",
      status: "pending",
      records: [
        {
          type: "TXT",
          name: `_vigil.${hostname}`,
          value: expect.stringMatching(/^vigil-verification=[0-9A-Za-z]{32}$/),
        },
        { type: "CNAME", name: hostname, value: "vigil.test" },
      ],
      error: null,
    });
    expect((await account.client.get(sslOf(page))).body).toEqual(body);
    expect((await account.client.get(`${PAGES}/${page.id}`)).body).toMatchObject({ custom_domain: hostname });
    expect((await visit(hostname)).status).toBe(404);
  });

  it("is not proven by records that do not name its claim, however many a zone holds", async () => {
    const [claimed, other] = [await claim(), await claim()];
    const { hostname } = claimed;
    const proof: string = claimed.body.records[0].value;
    const foreign: string = other.body.records[0].value;
    point(hostname, `${TARGET}.`);
    const hostile = [
      [foreign],
      [
        `${proof}x`,
        `x${proof}`,
        ` ${proof} and more`,
        proof.slice(0, -1),
        proof.toUpperCase().replace(/^VIGIL/, "vigil!"),
      ],
      Array.from({ length: 2_000 }, (_, n) => `${n}${"x".repeat(250)}`),
      ["", "*", "%", "_", '"', "\\", "\u0000"],
    ];
    for (const texts of hostile) {
      publish(hostname, ...texts);
      await sweep(hostname);
      expect((await claimed.account.client.get(sslOf(claimed.page))).body.status).toBe("pending");
    }
    // The proof at a name that is not the claim's.
    publish(hostname);
    zones.set(hostname, "TXT", proof);
    zones.set(`_vigil.example.com`, "TXT", proof);
    await sweep(hostname);
    expect((await claimed.account.client.get(sslOf(claimed.page))).body.status).toBe("pending");
    expect((await visit(hostname)).status).toBe(404);
    await prove(claimed);
    expect((await visit(hostname)).status).toBe(200);
  });

  it("becomes active with the TXT record, and gives the page at /", async () => {
    const claimed = await claim();
    publish(claimed.hostname, "something else");
    await sweep(claimed.hostname);
    expect((await claimed.account.client.get(sslOf(claimed.page))).body).toMatchObject({
      status: "pending",
      error: "the TXT and CNAME records are not there yet",
    });
    await prove(claimed);
    expect((await claimed.account.client.get(sslOf(claimed.page))).body).toMatchObject({
      status: "active",
      error: null,
    });
    expect((await row(claimed.hostname))?.next_check_at).toBeGreaterThan(Date.now() + DAY - MINUTE);
    const home = await visit(claimed.hostname);
    expect(home).toMatchObject({ status: 200, text: expect.stringContaining("<h1") });
    expect(home.headers.get("strict-transport-security")).toBe("max-age=31536000");
    expect((await visit(claimed.hostname.toUpperCase())).status).toBe(200);
    expect((await visit(claimed.hostname, "/summary.json")).text).toContain(claimed.page.slug);
    expect((await visit(claimed.hostname, `/status/${claimed.page.slug}/summary.json`)).status).toBe(200);
  });

  it("reaches nothing but its own page by that name", async () => {
    const [claimed, other] = [await claim(), await createShop()];
    await prove(claimed);
    const headers = { authorization: `Bearer ${claimed.account.token}` };
    for (const path of [
      `/status/${other.page.slug}`,
      `/status/${other.page.slug}/summary.json`,
      "/api/uptime/v1/monitors",
      "/api/core/v1/health",
      "/health",
      "/docs",
      "/openapi.json",
      "/app",
      "/../status",
    ]) {
      expect([path, (await visit(claimed.hostname, path, bindings, { headers })).status]).toEqual([path, 404]);
    }
  });

  it("gives the name up with null, and asks for nothing then", async () => {
    const claimed = await claim();
    await prove(claimed);
    const { body } = await claimed.account.client.put(sslOf(claimed.page), { custom_domain: null });
    expect(body).toEqual({ custom_domain: null, ssl_type: "none", status: "none", records: [], error: null });
    expect((await visit(claimed.hostname)).status).toBe(404);
  });

  it("keeps the proof while it is asked for again, and gives another name another one", async () => {
    const { account, page, hostname, body } = await claim();
    expect((await account.client.put(sslOf(page), { custom_domain: hostname, ssl_type: "none" })).body).toEqual(body);
    const next = await account.client.put(sslOf(page), { custom_domain: freshHost() });
    expect(next.body.records[0].value).not.toBe(body.records[0].value);
    expect(next.body.ssl_type).toBe("none");
  });

  it.each([
    ["*.example.com"],
    ["example"],
    ["127.0.0.1"],
    ["[::1]"],
    ["co.uk"],
    ["github.io"],
    ["vigil.test"],
    ["status.vigil.test"],
    ["me.workers.dev"],
    ["a b.example.com"],
    ["example.com/path"],
    ["user@example.com"],
    ["example.com:8080"],
    ["-a.example.com"],
    [`${"a".repeat(64)}.example.com`],
    [`${"abcdefgh.".repeat(28)}example.com`],
  ])("refuses %s", async (hostname) => {
    expect((await claim(hostname)).status).toBe(400);
  });

  it("refuses through the page what it refuses here", async () => {
    const { account, page } = await createShop();
    expect((await account.client.put(`${PAGES}/${page.id}`, { custom_domain: "co.uk" })).status).toBe(400);
    const hostname = freshHost();
    expect((await account.client.put(`${PAGES}/${page.id}`, { custom_domain: hostname })).status).toBe(200);
    expect((await account.client.get(sslOf(page))).body).toMatchObject({ custom_domain: hostname, status: "pending" });
  });

  it("writes names in other scripts as browsers send them", async () => {
    const id = newId();
    expect((await claim(`Zürich-${id}.example.com`)).body.custom_domain).toBe(
      new URL(`https://zürich-${id}.example.com`).hostname,
    );
  });

  it("is 404 for outsiders", async () => {
    const { page, body, account } = await claim();
    const { client } = await createAccount();
    expect((await client.get(sslOf(page))).status).toBe(404);
    expect((await client.put(sslOf(page), { custom_domain: null })).status).toBe(404);
    expect((await account.client.get(sslOf(page))).body).toEqual(body);
  });
});

describe("a page under its own domain and under the service's", () => {
  const OWN = "vigil.acme.com";
  const FILES = [
    ...["/", "/history", "/subscribe", "/summary.json", "/feed.atom", "/feed.rss", "/maintenance.ics"],
    ...["/api/v2/summary.json", "/api/v2/status.json", "/api/v2/components.json", "/api/v2/incidents.json"],
    ...["/api/v2/incidents/unresolved.json", "/api/v2/scheduled-maintenances.json"],
  ];

  async function served() {
    const claimed = await claim();
    const owner = { owner_id: claimed.account.user_id, status_page_id: claimed.page.id };
    const incident = await insertIncident(owner, { messages: ["One"] });
    await prove(claimed);
    return { ...claimed, incident, files: [...FILES, `/incidents/${incident}`] };
  }
  const linksIn = (html: string) =>
    [...html.matchAll(/<(?!link)\w+[^>]* (?:href|action)="(\/[^"]*)"/g)].map((match) => match[1] ?? "");

  it("names itself everywhere by the address where it is read, and every link leads somewhere", async () => {
    const { hostname, page, files } = await served();
    for (const file of files) {
      const own = await visit(hostname, file);
      expect([file, own.status]).toEqual([file, 200]);
      expect([file, own.text]).toEqual([file, expect.not.stringContaining("/status/")]);
      expect([file, own.text]).toEqual([file, expect.not.stringContaining(OWN)]);
    }
    for (const [host, base] of [
      [hostname, ""],
      [OWN, `/status/${page.slug}`],
    ] as const) {
      const links = new Set<string>();
      for (const file of files)
        linksIn((await visit(host, base + (base && file === "/" ? "" : file))).text).forEach(
          (link) => void links.add(link),
        );
      expect(links.size).toBeGreaterThan(6);
      for (const link of links) {
        // The service's own front door, which the footer names on the service's host alone.
        if (base !== "" && link === "/") continue;
        expect([link, link.startsWith(base === "" ? "/" : base)]).toEqual([link, true]);
        expect([link, (await visit(host, link)).status]).toEqual([link, 200]);
      }
    }
  });

  it("is unlocked there by a cookie of that host", async () => {
    const { account, page, hostname } = await served();
    await account.client.put(`${PAGES}/${page.id}`, { password: "sesame" });
    const asked = await visit(hostname);
    expect([asked.status, asked.text.includes('action="/unlock"')]).toEqual([401, true]);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const sent = { method: "POST", headers, body: "password=sesame", redirect: "manual" } as const;
    const answer = await visit(hostname, "/unlock", bindings, sent);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^__Host-vigil_page_.*; Secure$/);
    const unlocked = { headers: { cookie: cookie.split(";")[0] ?? "" } };
    expect((await visit(hostname, "/", bindings, unlocked)).status).toBe(200);
  });

  it("has one address for search engines, feeds and programs", async () => {
    const { hostname, page, incident } = await served();
    for (const [host, base] of [
      [hostname, ""],
      [OWN, `/status/${page.slug}`],
    ] as const) {
      const see = async (path: string) => (await visit(host, base + path)).text;
      expect(await see("")).toContain(`<link rel="canonical" href="https://${hostname}"/>`);
      expect(await see("/history")).toContain(`<link rel="canonical" href="https://${hostname}/history"/>`);
      expect(await see(`/incidents/${incident}`)).toContain(
        `<link rel="canonical" href="https://${hostname}/incidents/${incident}"/>`,
      );
      expect(await see("/feed.atom")).toContain(
        `rel="self" type="application/atom+xml" href="https://${hostname}/feed.atom"`,
      );
      expect(await see("/feed.atom")).toContain(`href="https://${hostname}/incidents/${incident}"`);
      expect(JSON.parse(await see("/summary.json")).page.url).toBe(`https://${hostname}`);
      expect(JSON.parse(await see("/api/v2/incidents.json")).incidents[0].shortlink).toBe(
        `https://${hostname}/incidents/${incident}`,
      );
    }
  });

  it("forgives a slash too many, and says to people where nothing is, in its own addresses", async () => {
    const { hostname, page } = await served();
    const sloppy = await visit(hostname, "/history/?before=1750000000000");
    expect(sloppy.status).toBe(308);
    expect(new URL(sloppy.headers.get("location") ?? "", `https://${hostname}/history/`).href).toBe(
      `https://${hostname}/history?before=1750000000000`,
    );
    for (const path of ["/nothing", "/app", "//", `/status/${page.slug}/nothing`]) {
      const { status, headers } = await visit(hostname, path);
      expect([path, status, headers.get("content-type")]).toEqual([path, 404, "text/html; charset=utf-8"]);
    }
  });

  it("is where the API and invitations say that the page is, once it is served there", async () => {
    const claimed = await claim();
    const { account, page, hostname } = claimed;
    const without = `http://vigil.test/status/${page.slug}`;
    const guest = await createAccount();
    await joinPage(guest, page.id, { role: "viewer" });
    const urls = async () => {
      const listed = (await account.client.get(PAGES)).body as { id: string; url: string }[];
      const shared = (await guest.client.get(`${PAGES}/member-of`)).body as { url: string }[];
      const read = (await account.client.get(`${PAGES}/${page.id}`)).body;
      const changed = (await account.client.put(`${PAGES}/${page.id}`, { description: "x" })).body;
      const email = `${newId()}@example.com`;
      await account.client.post(`${PAGES}/${page.id}/members`, { email, role: "viewer" });
      const [mail] = await mailsTo(email);
      const invited = /^This is the page: (.*)$/m.exec(mail?.text ?? "")?.[1];
      return [listed.find(({ id }) => id === page.id)?.url, shared[0]?.url, read.url, changed.url, invited];
    };
    expect(await urls()).toEqual(Array(5).fill(without));
    await prove(claimed);
    expect(await urls()).toEqual(Array(5).fill(`https://${hostname}`));
    const other = await createPage(account);
    const listed = (await account.client.get(PAGES)).body as { id: string; url: string }[];
    expect(listed.find(({ id }) => id === other.id)?.url).toBe(`http://vigil.test/status/${other.slug}`);
    const given = (await account.client.put(`${PAGES}/${page.id}`, { custom_domain: freshHost() })).body;
    expect(given.url).toBe(without);
  });

  it("is the service's again as soon as the name is given up", async () => {
    const { account, page, hostname } = await served();
    expect((await visit(OWN, `/status/${page.slug}`)).text).toContain(`href="https://${hostname}"`);
    await account.client.put(sslOf(page), { custom_domain: null });
    const after = await visit(OWN, `/status/${page.slug}`);
    expect(after.text).toContain(`<link rel="canonical" href="https://${OWN}/status/${page.slug}"/>`);
    expect(after.text).not.toContain(hostname);
  });

  it("takes its forms on both hosts, and mails links to the name", async () => {
    const { page, hostname } = await served();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    for (const [host, base] of [
      [hostname, ""],
      [OWN, `/status/${page.slug}`],
    ] as const) {
      const to = `${newId()}@example.com`;
      const body = `channel=email&endpoint=${to}`;
      const form = await visit(host, `${base}/subscribe`);
      expect(form.headers.get("content-security-policy")).toContain("form-action 'self'");
      expect((await visit(host, `${base}/subscribe`, bindings, { method: "POST", headers, body })).status).toBe(202);
      await queue.drain(bindings);
      const [mail] = await mailsTo(to);
      const link =
        new RegExp(`https://${hostname}(/subscribers/confirm\\?token=\\S+)`).exec(mail?.text ?? "")?.[1] ?? "";
      const question = await visit(hostname, link);
      expect(question.text).toContain('action="/subscribers/confirm?token=');
      expect((await visit(hostname, link, bindings, { method: "POST", headers, body: "" })).status).toBe(200);
    }
  });
});

describe("a name that a page has", () => {
  it("is 409 for every other page of the account, and once it is proven of all others", async () => {
    const claimed = await claim();
    const { account, hostname } = claimed;
    const mine = await createPage(account);
    expect((await account.client.put(sslOf(mine), { custom_domain: hostname })).status).toBe(409);
    expect(
      (await account.client.post(PAGES, { name: "x", slug: `p-${newId()}`, custom_domain: hostname })).status,
    ).toBe(409);
    await prove(claimed);
    expect((await claim(hostname)).status).toBe(409);
    expect((await account.client.put(sslOf(mine), { custom_domain: hostname })).status).toBe(409);
  });

  it("cannot be kept from its owner by claims of others, which stay unproven", async () => {
    const hostname = freshHost();
    const squatters = [await claim(hostname), await claim(hostname)];
    const owner = await claim(hostname);
    expect([...squatters, owner].map(({ status }) => status)).toEqual([200, 200, 200]);
    fulfil(owner);
    await sweep(hostname);
    const statusOf = async ({ account, page }: Awaited<ReturnType<typeof claim>>) =>
      (await account.client.get(sslOf(page))).body;
    expect(await statusOf(owner)).toMatchObject({ status: "active" });
    for (const squatter of squatters) expect(await statusOf(squatter)).toMatchObject({ status: "pending" });
    expect((await visit(hostname)).text).toContain("Northwind");
  });

  it("goes to one of two accounts that both can prove it", async () => {
    const hostname = freshHost();
    const claims = [await claim(hostname), await claim(hostname)];
    publish(hostname, ...claims.map(({ body }) => body.records[0].value));
    point(hostname, `${TARGET}.`);
    await sweep(hostname);
    const shown = await Promise.all(claims.map(({ account, page }) => account.client.get(sslOf(page))));
    expect(shown.map(({ body }) => body.status).sort()).toEqual(["active", "pending"]);
    expect(shown.map(({ body }) => body.error)).toContain("another account has proven this name");
  });

  it("takes a bounded time of the sweep where its name servers stall", async () => {
    const { account, page, hostname } = await claim();
    for (const type of ["TXT", "CNAME"]) {
      const name = type === "TXT" ? `_vigil.${hostname}` : hostname;
      sink.answer(`${RESOLVER}?name=${name}&type=${type}`, hang);
    }
    const given = AbortSignal.timeout.bind(AbortSignal);
    // The time for one question is as it is; that for one name is short.
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => given(ms === 8_000 ? 20 : ms));
    await sweep(hostname);
    expect(timeout).toHaveBeenCalledWith(8_000);
    timeout.mockRestore();
    expect((await account.client.get(sslOf(page))).body).toMatchObject({ status: "pending" });
  });

  it("orders a certificate when the page's body names it", async () => {
    const { account, page } = await createShop();
    const hostname = freshHost();
    const changed = await account.client.put(`${PAGES}/${page.id}`, { custom_domain: hostname });
    expect(changed).toMatchObject({ status: 200, body: { custom_domain: hostname, ssl_type: "managed" } });
    expect((await account.client.get(sslOf(page))).body).toMatchObject({ ssl_type: "managed", status: "pending" });
    const body = { name: "x", slug: `p-${newId()}`, custom_domain: freshHost() };
    expect((await account.client.post(PAGES, body)).body.ssl_type).toBe("managed");
  });

  it("ends after 72 hours without proof, and begins anew when it is asked for again", async () => {
    const first = await claim();
    vi.setSystemTime(Date.now() + 3 * DAY);
    publish(first.hostname);
    await sweep(first.hostname);
    expect((await first.account.client.get(sslOf(first.page))).body).toMatchObject({ status: "error" });
    expect(await claim(first.hostname)).toMatchObject({ status: 200, body: { status: "pending" } });
    const again = await first.account.client.put(sslOf(first.page), { custom_domain: first.hostname });
    expect(again).toMatchObject({ status: 200, body: { status: "pending", error: null } });
  });

  it("is served until its proof was missing for 72 hours, and again when it is back", async () => {
    const claimed = await claim();
    await prove(claimed);
    publish(claimed.hostname);
    await sweep(claimed.hostname);
    vi.setSystemTime(Date.now() + 72 * HOUR - 1);
    publish(claimed.hostname);
    await sweep(claimed.hostname);
    expect((await visit(claimed.hostname)).status).toBe(200);
    vi.setSystemTime(Date.now() + 1);
    publish(claimed.hostname);
    await sweep(claimed.hostname);
    expect((await visit(claimed.hostname)).status).toBe(404);
    await prove(claimed);
    expect((await visit(claimed.hostname)).status).toBe(200);
  });

  it("loses nothing while no resolver answers", async () => {
    const claimed = await claim();
    await prove(claimed);
    sink.answer(`${RESOLVER}?name=_vigil.${claimed.hostname}&type=TXT`, 500);
    await sweep(claimed.hostname);
    expect(await row(claimed.hostname)).toMatchObject({ status: "active", lost_since: null });
    sink.answer(`${RESOLVER}?name=_vigil.${claimed.hostname}&type=TXT`, Response.json({ Status: 2 }));
    await sweep(claimed.hostname);
    expect(await row(claimed.hostname)).toMatchObject({ status: "active", lost_since: null });
  });

  it("is kept from others for 7 days after its page was deleted, but not from its owner", async () => {
    const claimed = await claim();
    await prove(claimed);
    await claimed.account.client.delete(`${PAGES}/${claimed.page.id}`);
    expect((await visit(claimed.hostname)).status).toBe(404);
    expect((await claim(claimed.hostname)).status).toBe(409);
    await sweep(claimed.hostname);
    expect(await row(claimed.hostname)).toMatchObject({ held_until: expect.any(Number), status_page_id: null });
    vi.setSystemTime(Date.now() + 7 * DAY - 1);
    expect((await claim(claimed.hostname)).status).toBe(409);
    const again = await createPage(claimed.account);
    expect((await claimed.account.client.put(sslOf(again), { custom_domain: claimed.hostname })).status).toBe(200);
  });

  it("is anybody's 7 days after it was given up", async () => {
    const claimed = await claim();
    await prove(claimed);
    await claimed.account.client.put(sslOf(claimed.page), { custom_domain: null });
    vi.setSystemTime(Date.now() + 7 * DAY);
    await sweep(claimed.hostname);
    expect(await row(claimed.hostname)).toBeUndefined();
    expect((await claim(claimed.hostname)).status).toBe(200);
  });

  it("is not held for an account that never proved it", async () => {
    const claimed = await claim();
    await claimed.account.client.put(sslOf(claimed.page), { custom_domain: null });
    expect((await claim(claimed.hostname)).status).toBe(200);
  });
});

describe("the way to a page", () => {
  const errorOf = async ({ account, page }: Awaited<ReturnType<typeof claim>>) =>
    (await account.client.get(sslOf(page))).body;

  it("may be turned after the name was proven, and is asked for until then", async () => {
    const claimed = await claim();
    publish(claimed.hostname, claimed.body.records[0].value);
    await sweep(claimed.hostname);
    expect(await errorOf(claimed)).toMatchObject({ status: "active", error: "the CNAME record is not there yet" });
    expect((await visit(claimed.hostname)).status).toBe(200);
    point(claimed.hostname, "elsewhere.example.net.");
    await sweep(claimed.hostname);
    expect(await errorOf(claimed)).toMatchObject({ error: "the CNAME record is not there yet" });
    point(claimed.hostname, `${TARGET.toUpperCase()}.`);
    await sweep(claimed.hostname);
    expect(await errorOf(claimed)).toMatchObject({ status: "active", error: null });
  });

  it("says that the TXT record is missing where only the CNAME is there", async () => {
    const claimed = await claim();
    point(claimed.hostname, TARGET);
    await sweep(claimed.hostname);
    expect(await errorOf(claimed)).toMatchObject({ status: "pending", error: "the TXT record is not there yet" });
    expect((await visit(claimed.hostname)).status).toBe(404);
  });

  it.each([
    ["the same address, as the top of a zone has it", "A", "203.0.113.7"],
    ["the same address of the other family", "AAAA", "2001:db8::7"],
  ] as const)("may be %s", async (_name, type, address) => {
    const claimed = await claim();
    publish(claimed.hostname, claimed.body.records[0].value);
    zones.set(claimed.hostname, type, "203.0.113.1", address);
    zones.set(TARGET, type, address);
    await sweep(claimed.hostname);
    expect(await errorOf(claimed)).toMatchObject({ status: "active", error: null });
    zones.set(claimed.hostname, type, "203.0.113.1");
    await sweep(claimed.hostname);
    expect(await errorOf(claimed)).toMatchObject({ error: "the CNAME record is missing" });
    zones.set(TARGET, type);
  });

  it("may lead over other names", async () => {
    const claimed = await claim();
    publish(claimed.hostname, claimed.body.records[0].value);
    const between = freshHost();
    point(claimed.hostname, `${between}.`);
    sink.answer(
      `${RESOLVER}?name=${claimed.hostname}&type=A`,
      Response.json({
        Status: 0,
        Answer: [
          { type: 5, data: `${between}.` },
          { type: 5, data: `${TARGET}.` },
        ],
      }),
    );
    await sweep(claimed.hostname);
    expect(await errorOf(claimed)).toMatchObject({ status: "active", error: null });
  });

  it("may be lost for 72 hours, of which the owner is notified, and brings the page back with it", async () => {
    const claimed = await claim();
    const told = async () =>
      (await claimed.account.client.get("/api/core/v1/notifications")).body.map(
        ({ type, message }: { type: string; message: string }) => [type, message],
      );
    await prove(claimed);
    const { hostname } = claimed;
    const live = ["domain.active", `The status page is served at https://${hostname}.`];
    expect(await told()).toEqual([live]);
    vi.setSystemTime(Date.now() + MINUTE);
    point(hostname, "gone.example.net.");
    await sweep(hostname);
    await sweep(hostname);
    expect(await errorOf(claimed)).toMatchObject({ status: "active", error: "the CNAME record is missing" });
    const failing = [
      "domain.failing",
      expect.stringMatching(/^The CNAME record is missing\. If it is not restored, the page/),
    ];
    expect(await told()).toEqual([failing, live]);
    expect((await visit(hostname)).status).toBe(200);
    vi.setSystemTime(Date.now() + 72 * HOUR);
    await sweep(hostname);
    await sweep(hostname);
    expect((await visit(hostname)).status).toBe(404);
    const inactive = ["domain.inactive", expect.stringContaining("the CNAME record has been missing for 72 hours")];
    expect(await told()).toEqual([inactive, failing, live]);
    expect((await visit("vigil.acme.com", `/status/${claimed.page.slug}`)).text).not.toContain(hostname);
    vi.setSystemTime(Date.now() + MINUTE);
    await prove(claimed);
    expect((await visit(hostname)).status).toBe(200);
    expect(await told()).toEqual([live, inactive, failing, live]);
  });
});

describe("two accounts that want the same name", () => {
  it("both may claim it", async () => {
    const hostname = freshHost();
    const shops = [await createShop(), await createShop()];
    const answers = await Promise.all(
      shops.map(({ account, page }) => account.client.put(sslOf(page), { custom_domain: hostname, ssl_type: "none" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200]);
  });

  it("do not profit from each other's proof, should one follow the other while it is looked for", async () => {
    const [first, other] = [await claim(), await createShop()];
    const { hostname } = first;
    publish(hostname, first.body.records[0].value);
    sink.answer(`${RESOLVER}?name=${hostname}&type=CNAME`, async () => {
      await first.account.client.put(sslOf(first.page), { custom_domain: null });
      const taken = await other.account.client.put(sslOf(other.page), { custom_domain: hostname });
      expect(taken.status).toBe(200);
      return Response.json({ Status: 0, Answer: [] });
    });
    await sweep(hostname);
    expect((await other.account.client.get(sslOf(other.page))).body).toMatchObject({ status: "pending" });
    expect((await visit(hostname)).status).toBe(404);
  });
});

describe("a managed certificate", () => {
  const managed = () => claim(freshHost(), {});

  async function proveManaged(claimed: Awaited<ReturnType<typeof claim>>) {
    fulfil(claimed);
    await sweep(claimed.hostname, withProvider);
    return (await claimed.account.client.get(sslOf(claimed.page))).body;
  }

  it("is ordered when the name is proven, and the page waits for it", async () => {
    const claimed = await managed();
    const { hostname } = claimed;
    expect(claimed.body.ssl_type).toBe("managed");
    const pending = await proveManaged(claimed);
    expect(pending).toMatchObject({ status: "pending", error: null });
    expect(pending.records[2]).toEqual({
      type: "TXT",
      name: `_acme-challenge.${hostname}`,
      value: expect.any(String),
    });
    expect((await visit(hostname, "/", withProvider)).status).toBe(404);
    expect([...provider.ordered.values()]).toContainEqual(
      expect.objectContaining({ hostname, ssl: expect.objectContaining({ type: "dv", method: "http" }) }),
    );
    provider.set(hostname, { status: "active", ssl: { status: "active" } });
    expect(await proveManaged(claimed)).toMatchObject({ status: "active" });
    expect((await visit(hostname, "/", withProvider)).status).toBe(200);
  });

  it("is its own, and not that of a name which contains it", async () => {
    const longer = await managed();
    await proveManaged(longer);
    const claimed = await claim(longer.hostname.replace("status-", ""), {});
    await proveManaged(claimed);
    provider.set(longer.hostname, { status: "active", ssl: { status: "active" } });
    expect(await proveManaged(claimed)).toMatchObject({ status: "pending" });
    expect((await row(claimed.hostname))?.provider_id).not.toBe((await row(longer.hostname))?.provider_id);
  });

  it("says which record it waits for", async () => {
    const claimed = await managed();
    publish(claimed.hostname, claimed.body.records[0].value);
    await sweep(claimed.hostname, withProvider);
    const { body } = await claimed.account.client.get(sslOf(claimed.page));
    expect(body).toMatchObject({ status: "pending", error: "the CNAME record is not there yet" });
  });

  it("that is blocked is an error, one that is renewed is not", async () => {
    const claimed = await managed();
    await proveManaged(claimed);
    provider.set(claimed.hostname, { status: "active", ssl: { status: "active" } });
    expect(await proveManaged(claimed)).toMatchObject({ status: "active" });
    provider.set(claimed.hostname, { status: "active", ssl: { status: "pending_validation" } });
    expect(await proveManaged(claimed)).toMatchObject({ status: "active" });
    const validation_errors = [{ message: "CAA forbids it" }];
    provider.set(claimed.hostname, { status: "blocked", ssl: { status: "deleted", validation_errors } });
    expect(await proveManaged(claimed)).toMatchObject({ status: "error", error: "CAA forbids it" });
  });

  it("changes nothing while the provider does not answer", async () => {
    const claimed = await managed();
    sink.answer(`${CF}/zones/zone/custom_hostnames?hostname=${claimed.hostname}`, 503);
    expect(await proveManaged(claimed)).toMatchObject({ status: "pending" });
    expect((await row(claimed.hostname))?.next_check_at).toBeLessThanOrEqual(Date.now() + MINUTE);
  });

  it("of one name may never be answered for, which delays those of no other name beyond the same sweep", async () => {
    const claims = [];
    // More than are verified at a time.
    for (let n = 0; n < 12; n++) claims.push(await managed());
    for (const claimed of claims) fulfil(claimed);
    const questionOf = ({ hostname }: Claimed) => `${CF}/zones/zone/custom_hostnames?hostname=${hostname}`;
    const endless = new Response(new ReadableStream({}), { headers: { "content-type": "application/json" } });
    const [unanswered, unfinished, ...others] = claims;
    if (!unanswered || !unfinished) throw new Error("no claim");
    sink.answer(questionOf(unanswered), hang);
    sink.answer(questionOf(unfinished), endless);
    const given = AbortSignal.timeout.bind(AbortSignal);
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => given(ms === 10_000 ? 100 : ms));
    const setTimer = globalThis.setTimeout;
    const timer = vi
      .spyOn(globalThis, "setTimeout")
      .mockImplementation(((run: () => void, ms?: number) =>
        setTimer(run, ms === 12_000 ? 100 : ms)) as typeof setTimeout);
    await sweep(
      claims.map(({ hostname }) => hostname),
      withProvider,
    );
    timeout.mockRestore();
    timer.mockRestore();
    const ordered = new Set([...provider.ordered.values()].map(({ hostname }) => hostname));
    for (const { hostname } of others) {
      expect(ordered).toContain(hostname);
      expect(await row(hostname)).toMatchObject({ proven_at: expect.any(Number), provider_id: expect.any(String) });
    }
    for (const { hostname } of [unanswered, unfinished]) {
      expect(await row(hostname)).toMatchObject({ status: "pending", provider_id: null });
      expect((await row(hostname))?.next_check_at).toBe(Date.now() + MINUTE);
    }
    await sweep([unanswered.hostname, unfinished.hostname], withProvider);
    for (const { hostname } of [unanswered, unfinished]) {
      expect((await row(hostname))?.provider_id).toEqual(expect.any(String));
    }
  });

  it("is given back with the name", async () => {
    const claimed = await managed();
    await proveManaged(claimed);
    const { provider_id } = (await row(claimed.hostname)) ?? {};
    expect(provider.ordered.has(provider_id ?? "")).toBe(true);
    provider.set(claimed.hostname, { status: "active", ssl: { status: "active" } });
    await proveManaged(claimed);
    await claimed.account.client.delete(`${PAGES}/${claimed.page.id}`);
    await sweep(claimed.hostname, withProvider);
    expect(provider.ordered.has(provider_id ?? "")).toBe(false);
    expect(await row(claimed.hostname)).toMatchObject({ provider_id: null, status_page_id: null });
  });

  it("needs no provider where the operator has none", async () => {
    const claimed = await managed();
    await prove(claimed);
    expect((await visit(claimed.hostname)).status).toBe(200);
  });
});

describe("a Host that no page has", () => {
  it.each(["unknown.example.com", "vigil.acme.com.evil.com", "evil.com"])("gets nothing as %s", async (host) => {
    for (const path of ["/", "/health", "/api/uptime/v1/monitors", "/docs"]) {
      expect(await visit(host, path)).toMatchObject({
        status: 404,
        text: expect.stringContaining('"code":"not_found"'),
      });
    }
  });

  it.each([
    "vigil.acme.com",
    "localhost:8787",
    "127.0.0.1:8787",
    "vigil.me.workers.dev",
    "vigil.test",
  ])("may be the service's own: %s", async (host) => {
    expect((await visit(host, "/openapi.json")).status).toBe(200);
  });
});
