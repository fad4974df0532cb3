import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { openDb, runBatch } from "../../src/data/db.ts";
import { recordOccurrences } from "../../src/data/maintenance/write.ts";
import { monitors, statusIntervals } from "../../src/data/monitors/table.ts";
import { outages } from "../../src/data/outages/table.ts";
import { bumpPageVersion } from "../../src/data/status-pages/write.ts";
import { newId } from "../../src/platform/ids.ts";
import { aStage, submit } from "../support/agents.ts";
import { createClient, V1, V2 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";
import { createPage, createVisitor, HOUR } from "../support/pages.ts";

const visit = createVisitor({ PAGE_MEMO_MS: "0" });
const iso = (at: number) => new Date(at).toISOString();

/** A monitor that is pushed to, on a page of its own. */
async function createPushed(fields: Record<string, unknown>) {
  const account = await createAccount();
  const monitor = await createMonitor(account.client, { name: "Arena", target: undefined, paused: false, ...fields });
  const page = await createPage(account, { monitors: [monitor.id] });
  return { account, monitor, page, address: `/status/${page.slug}/services/${monitor.id}` };
}

/** What the document says, without its tags. */
const textOf = (html: string) =>
  html
    .replace(/<svg[\s\S]*?<\/svg>/g, " ")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

describe("the page of a game server", () => {
  const GAME = { type: "game_server", game_type: "rust", query_method: "push" };

  it("shows players, peak, map and the join link, and nothing else that was pushed", async () => {
    const { monitor, address } = await createPushed({ ...GAME, join_url: "steam://connect/play.example.com:28015" });
    const push = (body: unknown) => createClient(monitor.push_key).post(`${V2}/game-server/push`, body);
    await push({ player_count: 31, max_players: 64, map_name: "Old <Map>", custom_metrics: { secret: 4711 } });
    await push({ player_count: 12, max_players: 64, map_name: "New <Map>", server_name: "Hidden name" });
    const { status, text } = await visit(address);
    expect(status).toBe(200);
    expect(textOf(text)).toMatch(/Players 12 \/ 64 Most players, 24 hours 31 Map New &lt;Map&gt; Join/);
    expect(text).toContain('href="steam://connect/play.example.com:28015"');
    expect(text).toContain('aria-label="Players, 24 hours"');
    expect(text).not.toMatch(/4711|secret|Hidden name|Old/);
    expect(text).not.toContain(monitor.push_key);
  });

  it("is in the dashboard with the same figures and a download of its plug-in", async () => {
    const { account, monitor } = await createPushed(GAME);
    const sample = { player_count: 12, max_players: 64, map_name: "Dunes" };
    await createClient(monitor.push_key).post(`${V2}/game-server/push`, sample);
    const address = `/app/monitors/${monitor.id}`;
    const { text } = await visit(address, { authorization: `Bearer ${account.token}` });
    expect(textOf(text)).toMatch(/Players 12 \/ 64 Most players, 24 hours 12 Map Dunes/);
    expect(text).toContain(`href="${V2}/game-server/monitors/${monitor.id}/plugin"`);
  });

  it("shows what an agent found by asking the server", async () => {
    const options = { game_type: "rust", query_method: "query" };
    const stage = await aStage({ name: "Arena", type: "game_server", target: "play.example.com:28015", options });
    const page = await createPage(stage.account, { monitors: [stage.monitor.id] });
    const found = { max_players: 64, map: "Barren" };
    for (const details of [{ players: 40, ...found }, { players: 7, ...found }, {}]) {
      const checked_at = Date.now();
      expect((await submit(stage, { status: "up", checked_at: iso(checked_at), details })).body.accepted).toBe(1);
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(checked_at));
    }
    const { text } = await visit(`/status/${page.slug}/services/${stage.monitor.id}`);
    expect(textOf(text)).toMatch(/Players 7 \/ 64 Most players, 24 hours 40 Map Barren/);
    expect(text).not.toContain("play.example.com");
  });

  it("shows what the service found by asking the server itself", async () => {
    const documents: Record<string, unknown> = {
      "/dynamic.json": { hostname: "^1Arena", mapname: "Los Santos", clients: 9, sv_maxclients: "48" },
      "/info.json": { server: "FXServer" },
      "/players.json": [],
    };
    const outside = vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
      const { pathname } = new URL(new Request(input).url);
      return Response.json(documents[pathname] ?? {}, { status: pathname in documents ? 200 : 404 });
    });
    const queried = {
      type: "game_server",
      game_type: "fivem",
      query_method: "query",
      target: "http://sink.test:30120",
    };
    const widgets = [{ type: "stat", metric: "player_count", title: "Here now" }];
    const { account, monitor, address } = await createPushed({ ...queried, widgets });
    const check = () => account.client.post(`${V1}/monitors/${monitor.id}/check`);
    expect((await check()).body).toMatchObject({ status: "up", message: "9 of 48 players online" });
    documents["/dynamic.json"] = { hostname: "Arena", mapname: "Los Santos", clients: 4, sv_maxclients: "48" };
    expect((await check()).body).toMatchObject({ status: "up", message: "4 of 48 players online" });
    outside.mockRestore();
    const { text } = await visit(address);
    expect(textOf(text)).toMatch(/Players 4 \/ 48 Most players, 24 hours 9 Map Los Santos/);
    expect(textOf(text)).toContain("Here now 4");
    expect(text).not.toContain("sink.test");
    const { text: dashboard } = await visit(`/app/monitors/${monitor.id}`, {
      authorization: `Bearer ${account.token}`,
    });
    expect(textOf(dashboard)).toMatch(/Players 4 \/ 48 Most players, 24 hours 9 Map Los Santos Here now 4/);
  });

  it("counts nobody while the server is down", async () => {
    const thresholds = [{ metric: "fps", operator: "<", value: 10, status: "down" }];
    const { monitor, address } = await createPushed({ ...GAME, thresholds });
    await createClient(monitor.push_key).post(`${V2}/game-server/push`, { player_count: 9, map_name: "Dunes", fps: 1 });
    const said = textOf((await visit(address)).text);
    expect(said).toMatch(/Players – Most players, 24 hours 9 /);
    expect(said).not.toContain("Dunes");
  });

  it("announces planned restarts, which are no outages", async () => {
    const { account, monitor, page, address } = await createPushed(GAME);
    const start = Date.now() + HOUR;
    const window = { status_page_id: page.id, title: "Nightly restart", recurrence_type: "daily" };
    const times = { start_time: iso(start), end_time: iso(start + HOUR / 6) };
    const targets = [{ target_type: "monitor", target_id: monitor.id }];
    const { body: planned } = await account.client.post(`${V1}/maintenance`, { ...window, ...times, targets });
    const restart = start - 24 * HOUR;
    const db = openDb(env.DB);
    const insertOutage = (seq: number, times: { started_at: number; ended_at: number }) =>
      db.insert(outages).values({
        id: newId(),
        monitor_id: monitor.id,
        seq,
        status_page_id: page.id,
        ...times,
        cause: "restart",
        regions: [],
        in_maintenance: true,
      });
    const occurrence = { maintenance_id: planned.id, start_at: restart, end_at: restart + HOUR / 6 };
    await runBatch(db, [
      ...recordOccurrences(db, [occurrence]),
      insertOutage(1, { started_at: restart + 1000, ended_at: restart + HOUR / 12 }),
    ]);
    const { text } = await visit(address);
    expect(textOf(text)).toContain("Planned restarts");
    expect(text).toContain(`datetime="${iso(start)}"`);
    expect(textOf(text)).toContain("No outages in the last 90 days.");

    await runBatch(db, [
      bumpPageVersion(db, page.id, Date.now()),
      db
        .update(monitors)
        .set({ created_at: restart - HOUR })
        .where(eq(monitors.id, monitor.id)),
      db.delete(statusIntervals).where(eq(statusIntervals.monitor_id, monitor.id)),
      db.insert(statusIntervals).values(
        [
          { status: "up" as const, from_at: restart - HOUR, to_at: restart + 1000 },
          { status: "degraded" as const, from_at: restart + 1000, to_at: restart + 2000 },
          { status: "down" as const, from_at: restart + 2000, to_at: restart + HOUR / 12 },
          { status: "up" as const, from_at: restart + HOUR / 12, to_at: null },
        ].map((interval, seq) => ({ monitor_id: monitor.id, seq, ...interval })),
      ),
    ]);
    const uptimes = async () => {
      const days = (await account.client.get(`${V1}/monitors/${monitor.id}/uptime?days=3`)).body;
      const badge = (await visit(`/badge/${monitor.id}/uptime.json?period=7d`)).text;
      const summary = JSON.parse((await visit(`/status/${page.slug}/summary.json`)).text);
      return {
        down: days.reduce((sum: number, { down_seconds }: { down_seconds: number }) => sum + down_seconds, 0),
        degraded: days.reduce((sum: number, day: { degraded_seconds: number }) => sum + day.degraded_seconds, 0),
        badge: JSON.parse(badge).message,
        page: summary.monitors[0].uptime_percentage,
      };
    };
    expect(await uptimes()).toEqual({ down: 0, degraded: 0, badge: "100%", page: 100 });

    await runBatch(db, [
      insertOutage(2, { started_at: restart + 1000, ended_at: restart + HOUR }),
      bumpPageVersion(db, page.id, Date.now()),
      db
        .update(statusIntervals)
        .set({ to_at: restart + HOUR })
        .where(and(eq(statusIntervals.monitor_id, monitor.id), eq(statusIntervals.seq, 2))),
      db
        .update(statusIntervals)
        .set({ from_at: restart + HOUR })
        .where(and(eq(statusIntervals.monitor_id, monitor.id), eq(statusIntervals.seq, 3))),
    ]);
    expect(await uptimes()).toMatchObject({ down: (HOUR - HOUR / 6) / 1000, degraded: 0, page: expect.any(Number) });
    expect((await uptimes()).page).toBeLessThan(100);
    const { text: late } = await visit(`${address}?period=7d`);
    expect(textOf(late)).toMatch(/during maintenance\s*59 min 59 s/);
  });

  it.each([
    "javascript:alert(1)",
    "http://play.example.com",
    'https://x"onclick=',
    "not a link",
  ])("refuses the join link %s", async (join_url) => {
    const { client } = await createAccount();
    const monitor = { name: "Arena", ...GAME, join_url };
    expect((await client.post(`${V1}/monitors`, monitor)).status).toBe(400);
  });
});

describe("the widgets of an API monitor", () => {
  const widgets = [
    { type: "stat", metric: "queue", title: "Queue <length>" },
    { type: "line", metric: "latency_ms", title: "Latency" },
    { type: "bar", metric: "orders", title: "Orders" },
    { type: "line", metric: "never", title: "Never pushed" },
  ];

  it("are drawn on its page and in the dashboard, of the period that the visitor chose", async () => {
    const { account, monitor, address } = await createPushed({ type: "api", widgets });
    const push = (body: unknown) => createClient(monitor.push_key).post(`${V1}/api-monitoring/push`, body);
    await push({ latency_ms: 120, metrics: { queue: 3, orders: 10, stealth: 4711 } });
    await push({ latency_ms: 80, metrics: { queue: 4.5, orders: 20 } });
    const { text } = await visit(`${address}?period=7d`);
    expect(textOf(text)).toMatch(/Queue &lt;length&gt; 4\.5 /);
    expect(text).toContain('aria-label="Latency, 7 days"');
    expect(text).toMatch(/aria-label="Orders, 7 days"[\s\S]*?class="chart-bars" d="M/);
    expect(text).not.toMatch(/Never pushed|4711|stealth/);
    expect((await visit(`${address}?period=7d`, { "accept-language": "de" })).text).toContain("4,5");

    const { text: dashboard } = await visit(`/app/monitors/${monitor.id}?period=30d`, {
      authorization: `Bearer ${account.token}`,
    });
    expect(textOf(dashboard)).toMatch(/Queue &lt;length&gt; 4\.5 /);
    expect(textOf(dashboard)).toMatch(/Orders, 30 days Time Orders [^A-Z]*[A-Z][a-z]+ .*? 15 /);
    expect(dashboard).toContain('data-chart="bars"');
  });

  it("are of the widgets that the configuration names now", async () => {
    const { account, monitor, address } = await createPushed({ type: "api" });
    const config = `${V1}/api-monitoring/monitors/${monitor.id}/config`;
    await createClient(monitor.push_key).post(`${V1}/api-monitoring/push`, { metrics: { queue: 3 } });
    expect((await visit(address)).text).not.toContain('id="metrics"');
    expect((await account.client.put(config, { widgets: widgets.slice(0, 1) })).status).toBe(200);
    expect((await visit(address)).text).toContain('id="metrics"');
  });
});
