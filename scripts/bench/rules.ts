import { randomUUID } from "node:crypto";
import { type BenchService, startBenchService } from "./service.ts";
import { median } from "./turns.ts";

/**
 * What event rules cost: a backtest over 30 days of a monitor that is checked every 60 seconds and changes with every
 * check, as a ratio to reading the rule, and an event that 20 rules are evaluated on, as a ratio to one without rules.
 * Both sides of a ratio run in turns, so that what else the machine does weighs on both alike.
 */
const DAYS = 30;
const CHANGES = (DAYS * 86_400) / 60;
const LIVE_RULES = 20;
/** D1 runs a statement for 30 seconds at most. */
const EVENTS_PER_STATEMENT = 5_000;

export async function benchRules(minutes: number): Promise<void> {
  await using service = await startBenchService({});
  const page = await post(service, "status-pages", { name: "bench", slug: `bench-${randomUUID().slice(0, 8)}` });
  const fields = { name: "bench", type: "heartbeat", expected_interval: 60, status_page_id: page.id };
  const monitor = await post(service, "monitors", fields);
  const path = `status-pages/${page.id}/events`;
  const rule = await post(service, `${path}/rules`, { event_name: "monitor.down", cooldown_seconds: 3600 });
  await insertHistory(service, { page_id: page.id, monitor_id: monitor.id });
  const other = await post(service, "status-pages", { name: "other", slug: `other-${randomUUID().slice(0, 8)}` });
  for (let n = 0; n < LIVE_RULES; n++) {
    const conditions = [{ metric: "queue", operator: "gt", value: 10 }];
    await post(service, `status-pages/${other.id}/events/rules`, { event_name: "deploy.failed", conditions });
  }
  const emit = (evaluate_rules: boolean) => () =>
    post(service, `status-pages/${other.id}/events/emit`, { event_name: "deploy.failed", evaluate_rules });
  const times = { backtest: [] as number[], read: [] as number[], live: [] as number[], bare: [] as number[] };
  let fired = 0;
  for (const end = Date.now() + minutes * 60_000; Date.now() < end; ) {
    times.read.push(await time(() => call(service, "GET", `${path}/rules`)));
    times.backtest.push(
      await time(async () => {
        const result = await call(service, "POST", `${path}/rules/${rule.id}/backtest?days=${DAYS}`);
        fired = result.would_have_fired;
      }),
    );
    for (let n = 0; n < 10; n++) {
      times.bare.push(await time(emit(false)));
      times.live.push(await time(emit(true)));
    }
  }
  console.log(`${CHANGES} changes of ${DAYS} days, of which the rule fires on ${fired}`);
  const [backtest, read] = [report("backtest", times.backtest), report("list of rules", times.read)];
  console.log(`a backtest takes ${(backtest / read).toFixed(1)} times as long as a list of the page's rules`);
  const [live, bare] = [report(`event on ${LIVE_RULES} rules`, times.live), report("event without", times.bare)];
  console.log(`an event that rules are evaluated on takes ${(live / bare).toFixed(2)} times as long`);
}

/** What answers are read for. */
interface Answer {
  id: string;
  would_have_fired: number;
}

/** Down and up in turns, once a minute until now. */
async function insertHistory(
  { execute }: BenchService,
  { page_id, monitor_id }: { page_id: string; monitor_id: string },
): Promise<void> {
  const now = Date.now();
  for (let from = 0; from < CHANGES; from += EVENTS_PER_STATEMENT) {
    const to = Math.min(CHANGES, from + EVENTS_PER_STATEMENT);
    await execute([
      {
        sql: `INSERT INTO events (id, owner_id, status_page_id, monitor_id, name, classification, data, created_at, processed_at, wake_at)
          WITH RECURSIVE n(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM n WHERE n + 1 < ${to})
          SELECT 'bench-' || n, owner_id, ?1, id, CASE n % 2 WHEN 0 THEN 'monitor.down' ELSE 'monitor.up' END, 'public', '{}',
            ?3 - (n + 1) * 60000, ?3, ?3
          FROM monitors JOIN n WHERE id = ?2`,
        params: [page_id, monitor_id, now],
      },
    ]);
  }
}

function post(service: BenchService, path: string, body: Record<string, unknown>): Promise<Answer> {
  return call(service, "POST", path, body);
}

async function call({ url, token }: BenchService, method: string, path: string, body?: Record<string, unknown>) {
  const response = await fetch(`${url}/api/uptime/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

/** Prints the median and the longest, and gives the median. */
function report(name: string, times: readonly number[]): number {
  const p50 = median(times);
  console.log(`${name}: p50 ${p50.toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms of ${times.length}`);
  return p50;
}
