import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb, runBatch } from "../../src/data/db.ts";
import { maintenanceOccurrences } from "../../src/data/maintenance/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { outages } from "../../src/data/outages/table.ts";
import { bumpPageVersion } from "../../src/data/status-pages/write.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { createShop, createVisitor, HOUR, insertIncident, PAGES } from "../support/pages.ts";

const DAY = 24 * HOUR;
const db = openDb(env.DB);
const visit = createVisitor({ PAGE_MEMO_MS: "0" });
const iso = (at: number) => new Date(at).toISOString();
type Shop = Awaited<ReturnType<typeof createShop>>;

async function insertOutage({ monitor, page }: Shop, startedAt: number, endedAt: number | null, seq = 1) {
  await runBatch(db, [
    db.insert(outages).values({
      id: newId(),
      monitor_id: monitor.id,
      seq,
      status_page_id: page.id,
      started_at: startedAt,
      ended_at: endedAt,
      cause: "secret cause",
      regions: ["weur"],
      in_maintenance: false,
    }),
    bumpPageVersion(db, page.id, Date.now()),
  ]);
}

/** A window of three days ago, as it took place. */
async function insertPastWindow({ account, monitor, page }: Shop, fields: Record<string, unknown> = {}) {
  const start = Date.now() - 40 * DAY;
  const { body } = await account.client.post(`${V1}/maintenance`, {
    status_page_id: page.id,
    title: "New disks",
    start_time: iso(start),
    end_time: iso(start + HOUR),
    targets: [{ target_type: "monitor", target_id: monitor.id }],
    ...fields,
  });
  await runBatch(db, [
    db
      .insert(maintenanceOccurrences)
      .values({ maintenance_id: body.id, start_at: start, end_at: start + HOUR })
      .onConflictDoNothing(),
    bumpPageVersion(db, page.id, Date.now()),
  ]);
  return body.id as string;
}

describe("GET /status/:slug/services/:id", () => {
  it("shows status, uptime of four periods, outages and incidents of one service, and no cause", async () => {
    const shop = await createShop();
    const now = Date.now();
    await insertOutage(shop, now - 3 * DAY, now - 3 * DAY + 2 * HOUR);
    await insertOutage(shop, now - HOUR / 2, null, 2);
    const own = { owner_id: shop.account.user_id, status_page_id: shop.page.id };
    await insertIncident({ ...own, title: "Checkout fails" }, { monitor_ids: [shop.monitor.id] });
    await insertIncident({ ...own, title: "Something else" });
    const { status, text } = await visit(`${shop.path}/services/${shop.monitor.id}`);
    expect(status).toBe(200);
    expect(text).toContain('<h1 dir="auto">Web shop</h1>');
    for (const words of ["24 hours", "7 days", "30 days", "90 days", "100%"]) expect(text).toContain(words);
    expect(text).toMatch(/<span class="tag is-open">ongoing<\/span>.*?<span class="length">30 min<\/span>/s);
    expect(text).toContain(`<span class="length">2 h</span>`);
    expect(text).toContain("Checkout fails");
    expect(text).not.toMatch(/Something else|secret cause|weur/);
    expect((await visit(shop.path)).text).toContain(`href="${shop.path}/services/${shop.monitor.id}"`);
  });

  it("shows response times where the page shows them, and says nothing of them elsewhere", async () => {
    const shop = await createShop();
    const address = `${shop.path}/services/${shop.monitor.id}`;
    const shown = async () => {
      const { status, text } = await visit(`${address}?period=7d`);
      return { status, has_heading: text.includes("Response time"), has_periods: text.includes("?period=30d") };
    };
    expect(await shown()).toEqual({ status: 200, has_heading: true, has_periods: true });
    await shop.account.client.put(`${PAGES}/${shop.page.id}`, { show_latency: false });
    expect(await shown()).toEqual({ status: 200, has_heading: false, has_periods: false });
    expect((await visit(address)).text).not.toMatch(/<svg class="chart|\d ms/);
    for (const kind of ["svg", "json"]) {
      expect((await visit(`/badge/${shop.monitor.id}/latency.${kind}`)).text).not.toMatch(/\d ?ms/);
    }
  });

  it("says from where others reach it and from where it is not reached, where the owner says so", async () => {
    const shop = await createShop();
    await db
      .update(monitors)
      .set({ regions: ["weur", "enam", "apac"], locations_down: ["apac"] })
      .where(eq(monitors.id, shop.monitor.id));
    const address = `${shop.path}/services/${shop.monitor.id}`;
    const trouble = "Slow or unreachable from: Asia-Pacific";
    expect((await visit(address)).text).not.toMatch(/Asia|Checked from/);
    await shop.account.client.put(`${PAGES}/${shop.page.id}`, { show_locations: true });
    const home = (await visit(shop.path)).text;
    expect(home).toContain(trouble);
    const { text } = await visit(address);
    expect(text).toContain(trouble);
    expect(text).toContain("Checked from: Western Europe, Eastern North America, Asia-Pacific");
  });

  it("knows only services that the page shows", async () => {
    const shop = await createShop();
    const other = await createShop();
    const statusOf = async (id: string) => (await visit(`${shop.path}/services/${id}`)).status;
    expect([await statusOf(other.monitor.id), await statusOf(newId()), await statusOf("x")]).toEqual([404, 404, 404]);
    expect((await visit(`${shop.path}/services/x`)).text).toContain("Service not found");
    await shop.account.client.post(`${V1}/monitors/${shop.monitor.id}/pause`);
    expect(await statusOf(shop.monitor.id)).toBe(404);
    expect((await visit(`${other.path}/services/${other.monitor.id}?period=2y`)).status).toBe(400);
  });
});

describe("GET /status/:slug/maintenance", () => {
  it("lists what is planned and what was, by month, each at its own address", async () => {
    const shop = await createShop();
    const past = await insertPastWindow(shop);
    const hidden = await insertPastWindow(shop, { title: "Secret disks", is_public: false });
    const { client } = shop.account;
    const later = { start_time: iso(Date.now() + DAY), end_time: iso(Date.now() + DAY + HOUR) };
    const { body } = await client.post(`${V1}/maintenance`, { status_page_id: shop.page.id, title: "Later", ...later });
    await client.post(`${V1}/maintenance/${body.id}/updates`, { message: "Prepared.", status: "scheduled" });
    const { text } = await visit(`${shop.path}/maintenance`);
    expect(text).toContain("Scheduled maintenance");
    expect(text).toContain(`href="${shop.path}/maintenance/${body.id}"`);
    expect(text).toContain(`href="${shop.path}/maintenance/${past}"`);
    expect(text).toContain("Affects <bdi>Web shop</bdi>");
    expect(text).not.toContain("Secret disks");

    const planned = await visit(`${shop.path}/maintenance/${body.id}`);
    expect([planned.status, planned.text.includes('<h1 dir="auto">Later</h1>')]).toEqual([200, true]);
    expect(planned.text).toContain("Scheduled");
    const old = await visit(`${shop.path}/maintenance/${past}`);
    expect([old.status, old.text.includes("Completed")]).toEqual([200, true]);
    for (const id of [hidden, newId(), "x"]) expect((await visit(`${shop.path}/maintenance/${id}`)).status).toBe(404);
    const earlier = await visit(`${shop.path}/maintenance?before=2020-01-01T00:00:00Z`);
    expect([earlier.status, earlier.text.includes("No maintenance.")]).toEqual([200, true]);
  });
});

describe("GET /status/:slug/incidents/:id", () => {
  it("says how long it took, how what it affected is now, and leads to the published ones before and after it", async () => {
    const shop = await createShop();
    const own = { owner_id: shop.account.user_id, status_page_id: shop.page.id, status: "resolved" as const };
    const began = (title: string, hour: number, more = {}) =>
      insertIncident(
        { ...own, title, started_at: Date.now() - hour * HOUR, resolved_at: Date.now() - hour * HOUR + HOUR, ...more },
        { monitor_ids: [shop.monitor.id] },
      );
    const [first, middle, last] = [await began("First", 9), await began("Middle", 6), await began("Last", 3)];
    await began("Draft", 5, { is_public: false });
    const { text } = await visit(`${shop.path}/incidents/${middle}`);
    expect(text).toContain('<dd class="long">1 h</dd>');
    expect(text).toMatch(/Affected services.*href="[^"]*\/services\/[^"]+"[^>]*>Web shop<.*Operational/s);
    expect(text).toMatch(
      new RegExp(
        `/incidents/${first}"[^>]*><span[^>]*>Previous incident.*/incidents/${last}"[^>]*><span[^>]*>Next`,
        "s",
      ),
    );
    expect(text).not.toContain("Draft");
    expect((await visit(`${shop.path}/incidents/${last}`)).text).not.toContain("Next incident");
  });
});

describe("GET /status/:slug/card.png", () => {
  it("is a picture that any site may show, drawn once for a version of the page", async () => {
    const shop = await createShop();
    const answer = await visit(`${shop.path}/card.png`);
    const { headers } = answer;
    expect([answer.status, headers.get("content-type")]).toEqual([200, "image/png"]);
    expect([headers.get("cache-control"), headers.get("cross-origin-resource-policy")]).toEqual([
      "public, max-age=300",
      "cross-origin",
    ]);
    expect((await visit(shop.path)).text).toContain(
      `<meta property="og:image" content="http://vigil.test${shop.path}/card.png"/>`,
    );
    const again = await visit(`${shop.path}/card.png`, { "if-none-match": headers.get("etag") ?? "" });
    expect(again.status).toBe(304);
    expect((await shop.account.client.put(`${PAGES}/${shop.page.id}`, { password: "sesame" })).status).toBe(200);
    expect((await visit(`${shop.path}/card.png`)).status).toBe(401);
    const hidden = await createShop({ is_public: false });
    for (const path of [hidden.path, "/status/no-such-page"])
      expect((await visit(`${path}/card.png`)).status).toBe(404);
  });
});

describe("GET /robots.txt", () => {
  it("keeps robots out of what is not public", async () => {
    const { status, text } = await visit("/robots.txt");
    expect([status, text]).toEqual([200, expect.stringContaining("Disallow: /app/")]);
    expect(text).not.toContain("Disallow: /status");
  });
});

describe("GET /status/:slug/history", () => {
  it("counts the incidents of a month, with start, duration, severity and what they affected", async () => {
    const shop = await createShop();
    const own = { owner_id: shop.account.user_id, status_page_id: shop.page.id, status: "resolved" as const };
    const started_at = Date.parse("2026-03-10T08:00:00Z");
    const times = { started_at, resolved_at: started_at + 90 * 60_000, severity: "critical" as const };
    await insertIncident({ ...own, ...times }, { monitor_ids: [shop.monitor.id], messages: ["Fixed."] });
    await insertIncident({ ...own, ...times, title: "Another" });
    const { text } = await visit(`${shop.path}/history`);
    expect(text).toContain("March 2026");
    expect(text).toContain("2 incidents");
    // A calendar of the month leads from its days to what began on them.
    expect(text).toMatch(
      /<li>9<\/li><li class="severity-critical"><a href="#incident-[^"]+" aria-label="10 Mar 2026: 2 incidents">10<\/a>/,
    );
    for (const words of ["10 Mar 2026, 08:00", "1 h 30 min", "Critical", "Web shop", "Fixed."]) {
      expect(text).toContain(words);
    }
    expect((await shop.account.client.put(`${PAGES}/${shop.page.id}`, { password: "sesame" })).status).toBe(200);
    for (const part of ["history", "maintenance", `services/${shop.monitor.id}`]) {
      expect((await visit(`${shop.path}/${part}`)).status).toBe(401);
    }
  });
});
