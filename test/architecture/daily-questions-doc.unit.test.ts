import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { decide, initialState, type MonitorRules } from "../../src/domain/monitor-state.ts";
import { evaluateSla, tallySla } from "../../src/domain/sla.ts";
import type { StatusInterval } from "../../src/domain/uptime.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../src/lib/durations.ts";

/** The examples of the documents are computed by the functions that compute what people see. */
const ROOT = resolve(import.meta.dirname, "../..");
const textOf = (document: string) => readFileSync(join(ROOT, "docs", document), "utf8");

describe("docs/uptime.md", () => {
  const from_at = Date.UTC(2026, 10, 1);
  const range = { from_at, to_at: from_at + 30 * DAY_MS };
  const on = (day: number, hour: number, minute = 0) => Date.UTC(2026, 10, day, hour, minute);
  const changes: [at: number, StatusInterval["status"]][] = [
    [from_at, "up"],
    [on(4, 2, 5), "down"],
    [on(4, 2, 25), "up"],
    [on(9, 10), "down"],
    [on(9, 10, 20), "up"],
    [on(15, 14), "degraded"],
    [on(15, 14, 45), "up"],
    [on(20, 8), "unknown"],
    [on(20, 9), "up"],
    [on(22, 23), "down"],
    [on(22, 23, 10), "up"],
  ];
  const intervals = changes.map(([at, status], n) => ({ status, from_at: at, to_at: changes[n + 1]?.[0] ?? null }));
  const maintenance = [{ from_at: on(4, 2), to_at: on(4, 2, 30) }];

  function reportWith(degraded_counts_as_downtime: boolean) {
    const rules = { exclude_maintenance: true, degraded_counts_as_downtime };
    const tally = tallySla(intervals, { maintenance, range, now: range.to_at, rules });
    return { tally, result: evaluateSla(tally, 99.9, rules) };
  }
  const seconds = (ms: number | null) => `${Math.floor((ms ?? 0) / SECOND_MS).toLocaleString("en-US")} s`;
  const percent = (value: number | null) => `${value?.toFixed(3)} %`;

  it("has an example that adds up", () => {
    const { tally, result } = reportWith(false);
    const cells = [
      ...textOf("uptime.md").matchAll(/^\| (Counted|Downtime|Uptime|Error|Left|Mean)[^|]*\|[^|]*\| ([^|]*) \|$/gm),
    ];
    expect(cells.map(([, , value]) => value)).toEqual([
      seconds(tally.up + tally.degraded + tally.down),
      seconds(result.downtime_ms),
      percent(result.uptime_percentage),
      seconds(result.error_budget_ms),
      `${seconds(result.error_budget_ms - result.downtime_ms)}: the target is met`,
      seconds(result.mttr_ms),
      seconds(result.mtbf_ms),
    ]);
    expect(result.meets_target).toBe(true);
  });

  it("says what the example is where slow counts as down", () => {
    const { result } = reportWith(true);
    expect(result).toMatchObject({ outages: 3, meets_target: false });
    expect(textOf("uptime.md").replaceAll("\n", " ")).toContain(
      `downtime ${seconds(result.downtime_ms)} in three outages, uptime ${percent(result.uptime_percentage)}, target missed`,
    );
  });
});

describe("docs/outages.md", () => {
  const rules: MonitorRules = {
    regions: [],
    region_policy: "majority",
    failure_threshold: 3,
    recovery_threshold: 2,
    schedule: { interval_ms: MINUTE_MS, retry_interval_ms: 20 * SECOND_MS },
    stale_after_ms: 3 * MINUTE_MS,
  };
  const start = Date.UTC(2026, 10, 9, 10);
  const rows = [...textOf("outages.md").matchAll(/^\| 10:(\d\d):(\d\d) \| (fails|succeeds)[^|]*\| ([^|]*) \|$/gm)];

  it("has a table of checks that ends as the state machine decides", () => {
    expect(rows).toHaveLength(5);
    let state = { ...initialState(start - 60 * MINUTE_MS), status: "up" as const } as ReturnType<typeof initialState>;
    let attempt = 0;
    let slotAt = start;
    for (const [, minutes, seconds, outcome, says = ""] of rows) {
      const now = start + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
      attempt = now % MINUTE_MS === 0 ? 0 : attempt + 1;
      slotAt = attempt === 0 ? now : slotAt;
      const decision = decide(
        state,
        {
          kind: "result",
          region: "default",
          slot_at: slotAt,
          attempt,
          outcome: outcome === "fails" ? "failure" : "success",
          checked_at: now,
          latency_ms: 80,
          message: "",
        },
        rules,
        now,
      );
      expect(decision.transition?.to).toBe(/^`(up|down)`;/.exec(says)?.[1]);
      expect(decision.retry_at).toBe(says.includes("a retry in 20 s") ? now + 20 * SECOND_MS : null);
      state = decision.state;
      if (decision.transition)
        expect(decision.transition.effective_at).toBe(says.startsWith("`down`") ? start : start + 5 * MINUTE_MS);
    }
    expect(state.status).toBe("up");
  });
});
