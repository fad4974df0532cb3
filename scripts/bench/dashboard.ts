import { startConstant } from "./constant.ts";
import { type BenchService, cpuSecondsOf, send, startBenchService } from "./service.ts";
import { report, type Turn, turn } from "./turns.ts";

/**
 * How long one client waits for the dashboard's list of 1,000 monitors, by some of the ways to ask for it, beside a constant
 * answer of equal size from the same kind of runtime, in turns.
 */
const MONITORS = 1_000;
const BATCH = 10;
const TURN_MS = 2_000;
/** Of every view. */
const AIM_MS = 100;
const VIEWS = {
  "list of monitors": "/app/monitors",
  "list of monitors, worst first, page 10": "/app/monitors?sort=status&offset=450",
  "list of monitors, searched": "/app/monitors?q=service+9&sort=name",
  overview: "/app",
};

export async function benchDashboard(minutes: number): Promise<void> {
  await using service = await startBenchService({ EGRESS_ALLOW: "127.0.0.1" });
  await createMonitors(service);
  const share = (minutes * 60_000) / Object.keys(VIEWS).length;
  for (const [name, path] of Object.entries(VIEWS)) await benchView(service, { name, path, share });
}

async function benchView(service: BenchService, { name, path, share }: { name: string; path: string; share: number }) {
  const address = service.url + path;
  const headers = { authorization: `Bearer ${service.token}` };
  await using constant = await startConstant(await fetch(address, { headers }));
  const alone = { turnMs: TURN_MS, connections: 1, headers };
  const turns = { view: [] as Turn[], constant: [] as Turn[] };
  await turn([address], service.cpuSeconds, alone);
  for (const end = Date.now() + share; Date.now() < end; ) {
    turns.constant.push(await turn([constant.href], () => cpuSecondsOf(process.pid), alone));
    turns.view.push(await turn([address], service.cpuSeconds, alone));
  }
  report(`${name}, constant of ${constant.bytes} bytes`, turns.constant);
  report(name, turns.view, AIM_MS);
}

/** Half of them with a status, which draws a strip; on a page, in groups, with tags, as teams have them. */
async function createMonitors(service: BenchService): Promise<void> {
  const { id: status_page_id } = await send(service, "POST", "/api/uptime/v1/status-pages", {
    name: "Shop",
    slug: "shop",
  });
  const groups = await Promise.all(
    ["Storefront", "Payments", "Delivery"].map((name) =>
      send(service, "POST", "/api/uptime/v1/groups", { status_page_id, name }),
    ),
  );
  for (let n = 0; n < MONITORS; n += BATCH) {
    await Promise.all(
      Array.from({ length: BATCH }, async (_, place) => {
        const body = {
          name: `Service ${n + place}`,
          type: "heartbeat",
          expected_interval: 86_400,
          status_page_id,
          group_id: groups[place % groups.length]?.id,
          tags: [`team-${place}`],
        };
        const { push_urls } = await send(service, "POST", "/api/uptime/v1/monitors", body);
        if (place % 2 === 0) await fetch(push_urls?.heartbeat ?? "", { method: "POST" });
      }),
    );
  }
}
