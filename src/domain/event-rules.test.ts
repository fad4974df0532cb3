import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventRuleContent, RuleCondition } from "../contract/event-rule.ts";
import { MAINTENANCE_END } from "../contract/events.ts";
import { OPERATORS } from "../contract/push.ts";
import { createContent } from "./event-rule-content.ts";
import {
  backtest,
  computeCooldown,
  decide,
  evaluateConditions,
  listEffects,
  type MetricSnapshot,
  NEVER_FIRED,
  NO_METRICS,
  type RuleEvent,
  type RuleState,
} from "./event-rules.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const [MONITOR, OTHER, AGENT] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [
  string,
  string,
  string,
];

function rule(fields: Partial<EventRuleContent> = {}): EventRuleContent {
  return { ...createContent({ event_name: "monitor.down" }), ...fields };
}

function event(fields: Partial<RuleEvent> = {}): RuleEvent {
  return {
    kind: "event",
    name: "monitor.down",
    monitor_id: MONITOR,
    agent_id: null,
    at: HOUR,
    in_maintenance: false,
    caused_by_rule: false,
    metrics: NO_METRICS,
    ...fields,
  };
}

const condition = (fields: Partial<RuleCondition> = {}): RuleCondition => ({
  metric: "fps",
  operator: "lt",
  value: 30,
  ...fields,
});

const measured = (values: Record<string, number>, points: Record<string, [at: number, value: number][]> = {}) =>
  ({
    values: new Map(Object.entries(values)),
    points: new Map(
      Object.entries(points).map(([metric, list]) => [metric, list.map(([at, value]) => ({ at, value }))]),
    ),
  }) satisfies MetricSnapshot;

describe("conditions", () => {
  const table: [operators: string[], below: boolean, equal: boolean, above: boolean][] = [
    [["gt", ">"], false, false, true],
    [["gte", ">="], false, true, true],
    [["lt", "<"], true, false, false],
    [["lte", "<="], true, true, false],
    [["eq", "==", "="], false, true, false],
    [["neq", "!="], true, false, true],
  ];
  const rows = table.flatMap(([operators, ...expected]) => operators.map((operator) => [operator, expected] as const));

  it("know every operator", () => {
    expect(rows.map(([operator]) => operator).sort()).toEqual([...OPERATORS].sort());
  });

  it.each(rows)("compare by %s below, at and above the value", (operator, expected) => {
    const conditions = [condition({ operator: operator as RuleCondition["operator"] })];
    const passed = [29.9, 30, 30.1].map((fps) => evaluateConditions(conditions, measured({ fps }), 0)[0]?.passed);
    expect(passed).toEqual(expected);
  });

  it("name what was compared, each for itself", () => {
    const metrics = measured({ fps: 20 });
    const conditions = [
      condition(),
      condition({ metric: "player_count", operator: "gte", value: 0, window_minutes: 5 }),
    ];
    expect(evaluateConditions(conditions, metrics, 0)).toEqual([
      { metric: "fps", operator: "lt", value: 30, window_minutes: null, actual: 20, passed: true },
      { metric: "player_count", operator: "gte", value: 0, window_minutes: 5, actual: null, passed: false },
    ]);
  });

  it.each([
    [
      "excludes its start",
      [
        [5 * MINUTE, 100],
        [5 * MINUTE + 1, 10],
      ],
      10,
    ],
    [
      "includes its end",
      [
        [9 * MINUTE, 10],
        [10 * MINUTE, 20],
      ],
      15,
    ],
    [
      "excludes the future",
      [
        [10 * MINUTE, 10],
        [10 * MINUTE + 1, 90],
      ],
      10,
    ],
    ["has no mean without values", [[4 * MINUTE, 10]], null],
  ] as [string, [number, number][], number | null][])("a window of 5 minutes %s", (_name, points, actual) => {
    const conditions = [condition({ window_minutes: 5 })];
    const [result] = evaluateConditions(conditions, measured({ fps: 999 }, { fps: points }), 10 * MINUTE);
    expect(result?.actual).toBe(actual);
  });
});

describe("a rule on the end of maintenance", () => {
  it.each(MAINTENANCE_END)("listens to it under the name %s", (event_name) => {
    const ended = event({ name: "maintenance.completed" });
    expect(decide(NEVER_FIRED, rule({ event_name }), ended, ended.at).fires).toBe(true);
    expect(decide(NEVER_FIRED, rule({ event_name }), event({ name: "maintenance.started" }), 0).fires).toBe(false);
  });
});

describe("a rule", () => {
  it.each<[string, Partial<EventRuleContent>, Partial<RuleEvent>, string | null]>([
    ["fires on its event", {}, {}, null],
    ["is silent when disabled", { is_enabled: false }, {}, "disabled"],
    ["is silent on another event", {}, { name: "monitor.up" }, "other_event"],
    ["fires for its monitor", { monitor_id: MONITOR }, {}, null],
    ["is silent for another monitor", { monitor_id: OTHER }, {}, "other_event"],
    ["is silent for an event without a monitor", { monitor_id: MONITOR }, { monitor_id: null }, "other_event"],
    ["fires for its agent", { agent_id: AGENT }, { agent_id: AGENT }, null],
    ["is silent for another agent", { agent_id: AGENT }, { agent_id: OTHER }, "other_event"],
    ["is silent on what a rule caused", {}, { caused_by_rule: true }, "caused_by_rule"],
    ["is silent in maintenance", {}, { in_maintenance: true }, "maintenance"],
    [
      "fires in maintenance when notify_in_maintenance is set",
      { notify_in_maintenance: true },
      { in_maintenance: true },
      null,
    ],
    ["is silent when a condition fails", { conditions: [condition()] }, {}, "conditions"],
    [
      "fires when all conditions hold",
      { conditions: [condition(), condition({ value: 21 })] },
      { metrics: measured({ fps: 20 }) },
      null,
    ],
    [
      "is silent when one of two conditions fails",
      { conditions: [condition(), condition({ value: 20 })] },
      { metrics: measured({ fps: 20 }) },
      "conditions",
    ],
    [
      "with a custom name fires on metrics",
      { event_name: "low_fps", conditions: [condition()] },
      { kind: "metrics", name: null, metrics: measured({ fps: 20 }) },
      null,
    ],
    [
      "with a custom name needs a condition for metrics",
      { event_name: "x" },
      { kind: "metrics", name: null },
      "other_event",
    ],
    ["with a custom name fires when it is emitted", { event_name: "deploy" }, { name: "deploy" }, null],
    [
      "for a known event is silent on metrics",
      { conditions: [condition()] },
      { kind: "metrics", name: null, metrics: measured({ fps: 20 }) },
      "other_event",
    ],
  ])("%s", (_name, fields, happening, obstacle) => {
    const decision = decide(NEVER_FIRED, rule(fields), event(happening), HOUR);
    expect([decision.fires, decision.obstacle]).toEqual([obstacle === null, obstacle]);
    if (obstacle !== null) expect(decision.state).toBe(NEVER_FIRED);
  });

  it("keeps its conditions' results where the cooldown stops it", () => {
    const metrics = measured({ fps: 1 });
    const state: RuleState = { last_fired_at: HOUR, fired_at: [] };
    const decision = decide(state, rule({ conditions: [condition()], cooldown_seconds: 60 }), event({ metrics }), HOUR);
    expect(decision).toMatchObject({ obstacle: "cooldown", conditions: [{ passed: true, actual: 1 }] });
  });

  it.each([
    ["1 ms before the cooldown ends", 59_999, "cooldown", 1],
    ["when the cooldown ends", 60_000, null, 0],
    ["after the clock went back", -5_000, "cooldown", 60],
  ])("%s", (_name, after, obstacle, remaining) => {
    const state: RuleState = { last_fired_at: HOUR, fired_at: [] };
    const cooling = rule({ cooldown_seconds: 60 });
    expect(decide(state, cooling, event(), HOUR + after).obstacle).toBe(obstacle);
    expect(computeCooldown(state, cooling, HOUR + after)).toEqual({
      active: remaining > 0,
      remaining_seconds: remaining,
      last_fired_at: HOUR,
    });
  });

  it.each([
    ["1 ms before the oldest firing is an hour ago", HOUR - 1, "hourly_limit"],
    ["when the oldest firing is an hour ago", HOUR, null],
  ])("with two firings an hour %s", (_name, after, obstacle) => {
    const state: RuleState = { last_fired_at: 10, fired_at: [0, 10] };
    expect(decide(state, rule({ max_fires_per_hour: 2 }), event(), after).obstacle).toBe(obstacle);
  });
});

describe("a rule on the alert of an outage that maintenance withheld", () => {
  it.each([
    ["when the outage begins, if it notifies in maintenance", true, {}, null],
    ["not again when the alert is sent", true, { is_release: true, in_maintenance: false }, "maintenance"],
    ["not when the outage begins, if it is silent in maintenance", false, {}, "maintenance"],
    ["but when the alert is sent", false, { is_release: true, in_maintenance: false }, null],
  ])("fires %s", (_name, notify_in_maintenance, fields, obstacle) => {
    const withheld = event({ in_maintenance: true, ...fields });
    expect(decide(NEVER_FIRED, rule({ notify_in_maintenance }), withheld, withheld.at)).toMatchObject({ obstacle });
  });
});

describe("what firing does", () => {
  it("for a known event routes it, carries out the actions and opens the incident", () => {
    const fired = rule({
      classification: "critical",
      alert_channels: { "monitor.down": "#night" },
      incident_template_id: OTHER,
      actions: [
        { type: "suppress_alerts_for", duration_seconds: 90 },
        { type: "trigger_runbook", webhook_id: AGENT },
      ],
    });
    expect(listEffects(fired, { monitor_id: MONITOR }, HOUR)).toEqual([
      {
        kind: "notify",
        event_name: "monitor.down",
        display_name: "monitor.down",
        classification: "critical",
        alert_channels: { "monitor.down": "#night" },
        emits: false,
      },
      { kind: "suppress_alerts", monitor_id: MONITOR, until: HOUR + 90_000 },
      { kind: "trigger_runbook", webhook_id: AGENT },
      { kind: "open_incident", incident_template_id: OTHER },
    ]);
  });

  it("for a custom name emits that event, and without a monitor concerns the page", () => {
    const fired = rule({
      event_name: "low_fps",
      display_name: "Low FPS",
      actions: [{ type: "suppress_alerts_for", duration_seconds: 1 }],
    });
    expect(listEffects(fired, { monitor_id: null }, 0)).toMatchObject([
      { kind: "notify", event_name: "low_fps", display_name: "Low FPS", emits: true },
      { kind: "suppress_alerts", monitor_id: null, until: 1000 },
    ]);
  });
});

const anyRule = fc
  .record({
    cooldown_seconds: fc.constantFrom(0, 1, 60, 1800),
    max_fires_per_hour: fc.option(fc.integer({ min: 1, max: 4 })),
    notify_in_maintenance: fc.boolean(),
    monitor_id: fc.constantFrom(null, MONITOR),
    event_name: fc.constantFrom("monitor.down", "monitor.up"),
    conditions: fc.constantFrom<RuleCondition[][]>([], [condition()], [condition({ window_minutes: 5 })]),
  })
  .map(rule);
const anyEvents = fc
  .array(
    fc.record({
      gap: fc.constantFrom(0, 1, 999, 1000, 59_999, 60_000, 600_000, 1_800_000, HOUR - 1, HOUR),
      name: fc.constantFrom("monitor.down", "monitor.up"),
      monitor_id: fc.constantFrom(MONITOR, OTHER),
      in_maintenance: fc.boolean(),
      caused_by_rule: fc.constantFrom(false, false, false, true),
      fps: fc.option(fc.constantFrom(10, 29, 30, 50)),
    }),
    { maxLength: 40 },
  )
  .map((steps) => {
    let at = 0;
    return steps.map(({ gap, fps, ...fields }) => {
      at += gap;
      const metrics = fps === null ? NO_METRICS : measured({ fps }, { fps: [[at, fps]] });
      return event({ ...fields, at, metrics });
    });
  });

/** The same rules over the list of all earlier firings, without any state. */
function listFires(of: EventRuleContent, events: readonly RuleEvent[]): number[] {
  const fires: number[] = [];
  for (const { name, at, monitor_id, in_maintenance, caused_by_rule, metrics } of events) {
    const fps = metrics.values.get("fps");
    const concerns = name === of.event_name && (of.monitor_id === null || of.monitor_id === monitor_id);
    const isQuiet = caused_by_rule || (in_maintenance && !of.notify_in_maintenance);
    const holds = of.conditions.length === 0 || (fps !== undefined && fps < 30);
    const isCooling = fires.some((fired) => at < fired + of.cooldown_seconds * 1000);
    const isFull =
      fires.filter((fired) => fired > at - HOUR).length >= (of.max_fires_per_hour ?? Number.POSITIVE_INFINITY);
    if (concerns && !isQuiet && holds && !isCooling && !isFull) fires.push(at);
  }
  return fires;
}

/** Live: every event by itself, with the state stored as JSON in between, and some of them delivered twice. */
function fireLive(of: EventRuleContent, events: readonly RuleEvent[]): number[] {
  const fires: number[] = [];
  const seen = new Set<RuleEvent>();
  let stored = JSON.stringify(NEVER_FIRED);
  for (const each of events.flatMap((event, n) => (n % 3 === 0 ? [event, event] : [event]))) {
    if (seen.has(each)) continue;
    seen.add(each);
    const decision = decide(JSON.parse(stored), of, each, each.at);
    stored = JSON.stringify(decision.state);
    if (decision.fires) fires.push(each.at);
  }
  return fires;
}

describe("any rule over any events", () => {
  it("fires as its history of firings allows", () => {
    fc.assert(
      fc.property(anyRule, anyEvents, (of, events) => {
        expect(fireLive(of, events)).toEqual(listFires(of, events));
      }),
      { numRuns: 5000 },
    );
  });

  it("fires in a backtest as it fired live, regardless of the order in which the events are read", () => {
    fc.assert(
      fc.property(anyRule, anyEvents, fc.boolean(), (of, events, is_enabled) => {
        const to = (events.at(-1)?.at ?? 0) + 1;
        // Events of one instant keep their order, which is that of their sequence.
        const read =
          events.length > 1 && events[0]?.at !== events[1]?.at ? [...events.slice(1), ...events.slice(0, 1)] : events;
        expect(backtest({ ...of, is_enabled }, read, { from: 0, to })).toEqual(fireLive(of, events));
      }),
      { numRuns: 5000 },
    );
  });

  it("never fires above its hourly limit, even when the clock goes back", () => {
    const jumps = fc.array(fc.integer({ min: -2 * HOUR, max: HOUR }), { maxLength: 40 });
    fc.assert(
      fc.property(jumps, fc.integer({ min: 1, max: 4 }), (steps, max) => {
        let [state, now] = [NEVER_FIRED, 100 * HOUR];
        const recorded: number[] = [];
        for (const step of steps) {
          now += step;
          const decision = decide(state, rule({ max_fires_per_hour: max }), event(), now);
          if (decision.fires) recorded.push(decision.state.last_fired_at ?? 0);
          state = decision.state;
          expect(state.fired_at.length).toBeLessThanOrEqual(max);
        }
        for (const end of recorded) {
          expect(recorded.filter((at) => at <= end && at > end - HOUR).length).toBeLessThanOrEqual(max);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("looks at each of 30 days' 43,200 events a few times, however many it replays", () => {
    let reads = 0;
    const events = Array.from({ length: 43_200 }, (_, n) => {
      const { at: _at, ...fields } = event();
      return Object.defineProperty(fields, "at", {
        get: () => {
          reads += 1;
          return n * MINUTE;
        },
      }) as RuleEvent;
    });
    const fires = backtest(rule({ cooldown_seconds: 3600 }), events, { from: 0, to: 43_200 * MINUTE });
    expect(fires).toHaveLength(720);
    expect(reads).toBeLessThan(20 * 43_200);
  });

  it.each([
    ["its start is included", 10, [10]],
    ["its end is excluded", 20, []],
  ])("backtests a half-open range: %s", (_name, at, fires) => {
    expect(backtest(rule(), [event({ at })], { from: 10, to: 20 })).toEqual(fires);
  });
});
