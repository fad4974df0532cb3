import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobDeps } from "../../src/access/deps.ts";
import { createApp } from "../../src/app.ts";
import { openDb } from "../../src/data/db.ts";
import { customDomains } from "../../src/data/domains.table.ts";
import { sweepDomains } from "../../src/features/custom-domains/service.ts";
import { newId } from "../../src/platform/ids.ts";
import { createAccount } from "../support/factories.ts";
import { createPage, createShop, HOUR, PAGES } from "../support/pages.ts";
import { type Sink, useSink } from "../support/sink.ts";

const MINUTE = 60_000;
const DAY = 24 * HOUR;
const RESOLVER = "https://sink.test/dns-query";
const CF = "https://sink.test/cf";
const bindings = { ...env, DOH_RESOLVERS: RESOLVER, PUBLIC_URL: "https://vigil.acme.com" };
const withProvider = { ...bindings, CF_API_TOKEN: "cf-token", CF_ZONE_ID: "zone", CF_API_BASE: CF };

const sink = useSink();
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

/** What the resolver says the next time it is asked for the proof. */
function resolve(outside: Sink, hostname: string, ...texts: string[]) {
  const Answer = texts.map((data) => ({ type: 16, TTL: 60, data: JSON.stringify(data) }));
  outside.answer(`${RESOLVER}?name=_vigil.${hostname}&type=TXT`, Response.json({ Status: 0, Answer }));
}

/** Sweeps this claim alone: those of other tests are not due. */
async function sweep(hostname: string, changes: Record<string, unknown> = bindings) {
  const db = openDb(env.DB);
  await db.update(customDomains).set({ next_check_at: Date.now() + 365 * DAY });
  await db.update(customDomains).set({ next_check_at: 0 }).where(eq(customDomains.hostname, hostname));
  await sweepDomains(jobDeps({ ...env, ...changes } as never, "test"));
}

async function prove(claimed: { hostname: string; body: { records: { value: string }[] } }) {
  resolve(sink, claimed.hostname, "other", claimed.body.records[0]?.value ?? "");
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

  it("becomes active with the TXT record, and gives the page at /", async () => {
    const claimed = await claim();
    resolve(sink, claimed.hostname, "something else");
    await sweep(claimed.hostname);
    expect((await claimed.account.client.get(sslOf(claimed.page))).body).toMatchObject({
      status: "pending",
      error: "the TXT record is not there yet",
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

describe("a name that a page has", () => {
  it("is 409 for every other page, of the same account or another", async () => {
    const { account, hostname } = await claim();
    const mine = await createPage(account);
    expect((await account.client.put(sslOf(mine), { custom_domain: hostname })).status).toBe(409);
    expect((await claim(hostname)).status).toBe(409);
    expect(
      (await account.client.post(PAGES, { name: "x", slug: `p-${newId()}`, custom_domain: hostname })).status,
    ).toBe(409);
  });

  it("may be claimed by others once it was not proven in time", async () => {
    const first = await claim();
    vi.setSystemTime(Date.now() + 7 * DAY);
    resolve(sink, first.hostname);
    await sweep(first.hostname);
    expect((await first.account.client.get(sslOf(first.page))).body).toMatchObject({ status: "error" });
    expect(await claim(first.hostname)).toMatchObject({ status: 200, body: { status: "pending" } });
    expect((await first.account.client.get(sslOf(first.page))).body).toMatchObject({
      custom_domain: null,
      status: "none",
    });
  });

  it("is served until its proof was missing for 72 hours, and again when it is back", async () => {
    const claimed = await claim();
    await prove(claimed);
    resolve(sink, claimed.hostname);
    await sweep(claimed.hostname);
    vi.setSystemTime(Date.now() + 72 * HOUR - 1);
    resolve(sink, claimed.hostname);
    await sweep(claimed.hostname);
    expect((await visit(claimed.hostname)).status).toBe(200);
    vi.setSystemTime(Date.now() + 1);
    resolve(sink, claimed.hostname);
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

describe("a managed certificate", () => {
  const certificate = (status: string, ssl: object = { status }) => ({ id: "cf-1", status, ssl });
  const ask = (hostname: string, ...result: object[]) =>
    sink.answer(`${CF}/zones/zone/custom_hostnames?hostname=${hostname}`, Response.json({ result }));
  const managed = () => claim(freshHost(), {});

  async function proveManaged(claimed: Awaited<ReturnType<typeof claim>>) {
    resolve(sink, claimed.hostname, claimed.body.records[0].value);
    await sweep(claimed.hostname, withProvider);
    return (await claimed.account.client.get(sslOf(claimed.page))).body;
  }

  it("is ordered when the name is proven, and the page waits for it", async () => {
    const claimed = await managed();
    expect(claimed.body.ssl_type).toBe("managed");
    ask(claimed.hostname);
    const validation_records = [{ txt_name: `_acme-challenge.${claimed.hostname}`, txt_value: "abc" }];
    sink.answer(
      `${CF}/zones/zone/custom_hostnames`,
      Response.json({ result: certificate("pending", { status: "pending_validation", validation_records }) }),
    );
    const pending = await proveManaged(claimed);
    expect(pending).toMatchObject({ status: "pending", error: null });
    expect(pending.records[2]).toEqual({ type: "TXT", name: `_acme-challenge.${claimed.hostname}`, value: "abc" });
    const ordered = sink.received.at(-1);
    expect(ordered?.headers.get("authorization")).toBe("Bearer cf-token");
    expect(JSON.parse(ordered?.body ?? "")).toMatchObject({ hostname: claimed.hostname, ssl: { type: "dv" } });

    ask(claimed.hostname, certificate("active"));
    expect(await proveManaged(claimed)).toMatchObject({ status: "active" });
    expect((await visit(claimed.hostname, "/", withProvider)).status).toBe(200);
  });

  it("that is blocked is an error, one that is renewed is not", async () => {
    const claimed = await managed();
    ask(claimed.hostname, certificate("active"));
    await proveManaged(claimed);
    ask(claimed.hostname, certificate("pending", { status: "pending_validation" }));
    expect(await proveManaged(claimed)).toMatchObject({ status: "active" });
    ask(
      claimed.hostname,
      certificate("blocked", { status: "deleted", validation_errors: [{ message: "CAA forbids it" }] }),
    );
    expect(await proveManaged(claimed)).toMatchObject({ status: "error", error: "CAA forbids it" });
  });

  it("changes nothing while the provider does not answer", async () => {
    const claimed = await managed();
    sink.answer(`${CF}/zones/zone/custom_hostnames?hostname=${claimed.hostname}`, 503);
    expect(await proveManaged(claimed)).toMatchObject({ status: "pending" });
    expect((await row(claimed.hostname))?.next_check_at).toBeLessThanOrEqual(Date.now() + MINUTE);
  });

  it("is given back with the name", async () => {
    const claimed = await managed();
    ask(claimed.hostname, certificate("active"));
    await proveManaged(claimed);
    await claimed.account.client.delete(`${PAGES}/${claimed.page.id}`);
    sink.answer(`${CF}/zones/zone/custom_hostnames/cf-1`, Response.json({ id: "cf-1" }));
    await sweep(claimed.hostname, withProvider);
    expect(sink.received.at(-1)).toMatchObject({ method: "DELETE" });
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
