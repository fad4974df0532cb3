import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventEmit, EventRuleChange, EventRuleCreate, EventRuleImport } from "../contract/event-rule.ts";
import { OPERATORS } from "../contract/push.ts";
import { formatYaml, parseYaml } from "../platform/yaml.ts";
import {
  createContent,
  exportRules,
  findContentFlaw,
  listImportWarnings,
  listReferencedIds,
  mergeContent,
} from "./event-rule-content.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const create = (body: unknown) => createContent(EventRuleCreate.parse(body));

/** Paths that a schema rejects. */
function flaws(schema: { safeParse(value: unknown): { success: boolean; error?: unknown } }, body: unknown): string[] {
  const { error } = schema.safeParse(body) as { error?: { issues: { path: PropertyKey[] }[] } };
  return (error?.issues ?? []).map(({ path }) => path.join("."));
}

describe("a rule's body", () => {
  it("gets defaults for what it leaves out", () => {
    expect(create({ event_name: "monitor.down" })).toEqual({
      event_name: "monitor.down",
      display_name: "monitor.down",
      classification: "public",
      conditions: [],
      actions: [],
      alert_channels: {},
      cooldown_seconds: 0,
      max_fires_per_hour: null,
      notify_in_maintenance: false,
      is_enabled: true,
      monitor_id: null,
      agent_id: null,
      incident_template_id: null,
    });
  });

  it("takes conditions, actions and channels as JSON and as a string that holds it", () => {
    const fields = {
      conditions: [{ metric: "fps", operator: "<", value: 30, window_minutes: 5 }],
      actions: [{ type: "trigger_runbook", webhook_id: ID }],
      alert_channels: { low_fps: "#games" },
    };
    const strings = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]));
    expect(create({ event_name: "low_fps", ...strings })).toEqual(create({ event_name: "low_fps", ...fields }));
    expect(create({ event_name: "low_fps", ...fields })).toMatchObject(fields);
  });

  const condition = { metric: "fps", operator: "gt", value: 1 };
  it.each<[string, Record<string, unknown>, string[]]>([
    ["broken JSON", { conditions: "[{" }, ["conditions"]],
    ["an object instead of a list", { conditions: "{}" }, ["conditions"]],
    ["an unknown operator", { conditions: [{ ...condition, operator: "~" }] }, ["conditions.0.operator"]],
    ["a value that is no number", { conditions: [{ ...condition, value: "1" }] }, ["conditions.0.value"]],
    ["no metric", { conditions: [{ operator: "gt", value: 1 }] }, ["conditions.0.metric"]],
    ["a window of a day", { conditions: [{ ...condition, window_minutes: 1440 }] }, []],
    ["a longer window", { conditions: [{ ...condition, window_minutes: 1441 }] }, ["conditions.0.window_minutes"]],
    ["a negative window", { conditions: [{ ...condition, window_minutes: -1 }] }, ["conditions.0.window_minutes"]],
    ["20 conditions", { conditions: Array(20).fill(condition) }, []],
    ["21 conditions", { conditions: Array(21).fill(condition) }, ["conditions"]],
    ["an unknown action", { actions: [{ type: "reboot" }] }, ["actions.0.type"]],
    ["a second of silence", { actions: [{ type: "suppress_alerts_for", duration_seconds: 1 }] }, []],
    ["30 days of silence", { actions: [{ type: "suppress_alerts_for", duration_seconds: 2_592_000 }] }, []],
    ["no silence", { actions: [{ type: "suppress_alerts_for", duration_seconds: 0 }] }, ["actions.0.duration_seconds"]],
    [
      "more silence",
      { actions: [{ type: "suppress_alerts_for", duration_seconds: 2_592_001 }] },
      ["actions.0.duration_seconds"],
    ],
    ["a webhook that is no id", { actions: [{ type: "trigger_runbook", webhook_id: "x" }] }, ["actions.0.webhook_id"]],
    ["a cooldown of a week", { cooldown_seconds: 604_800 }, []],
    ["a longer cooldown", { cooldown_seconds: 604_801 }, ["cooldown_seconds"]],
    ["a negative cooldown", { cooldown_seconds: -1 }, ["cooldown_seconds"]],
    ["one firing an hour", { max_fires_per_hour: 1 }, []],
    ["no firing at all", { max_fires_per_hour: 0 }, ["max_fires_per_hour"]],
    ["half a firing", { max_fires_per_hour: 1.5 }, ["max_fires_per_hour"]],
    ["an unknown audience", { classification: "private" }, ["classification"]],
    ["an event name with a space", { event_name: "low fps" }, ["event_name"]],
    ["an event name of 100 characters", { event_name: "x".repeat(100) }, []],
    ["a longer event name", { event_name: "x".repeat(101) }, ["event_name"]],
  ])("with %s", (_name, fields, expected) => {
    expect(flaws(EventRuleCreate, { event_name: "monitor.down", ...fields })).toEqual(expected);
  });

  it("keeps what a change omits and resets what it sets to null", () => {
    const current = create({ event_name: "a", cooldown_seconds: 5, classification: "critical", monitor_id: ID });
    const change = EventRuleChange.parse({ event_name: "b", cooldown_seconds: null, monitor_id: null });
    expect(mergeContent(current, change)).toEqual({
      ...current,
      event_name: "b",
      display_name: "b",
      cooldown_seconds: 0,
      monitor_id: null,
    });
  });

  it.each([
    ["a known event", { event_name: "monitor.down" }, undefined],
    ["a custom name", { event_name: "deploy.finished" }, undefined],
    ["an unknown event of the service", { event_name: "monitor.exploded" }, "event_name"],
    ["a monitor and an agent", { event_name: "x", monitor_id: ID, agent_id: ID }, "agent_id"],
  ])("is judged as a whole: %s", (_name, body, path) => {
    expect(findContentFlaw(create(body), (name) => name === "monitor.down")?.path).toBe(path);
  });

  it("names every id that it refers to by its wire path", () => {
    const actions = [
      { type: "suppress_alerts_for", duration_seconds: 1 },
      { type: "trigger_runbook", webhook_id: ID },
    ];
    const rule = create({ event_name: "x", monitor_id: ID, incident_template_id: ID, actions });
    expect(listReferencedIds(rule, "rules[2].")).toEqual([
      { path: "rules[2].monitor_id", kind: "monitor", id: ID },
      { path: "rules[2].incident_template_id", kind: "incident_template", id: ID },
      { path: "rules[2].actions[1].webhook_id", kind: "webhook", id: ID },
    ]);
  });
});

describe("an emitted event", () => {
  it.each([
    ["a custom name", { event_name: "deploy" }, []],
    ["a name of the service", { event_name: "monitor.down" }, ["event_name"]],
    ["the name of tests", { event_name: "test_event" }, ["event_name"]],
    ["a payload in a string", { event_name: "deploy", payload: '{"a": 1}' }, []],
    ["a payload that is no JSON", { event_name: "deploy", payload: "{" }, ["payload"]],
    ["a payload of 16 kB", { event_name: "deploy", payload: ["x".repeat(16 * 1024 - 4)] }, []],
    ["a larger payload", { event_name: "deploy", payload: ["x".repeat(16 * 1024 - 3)] }, ["payload"]],
  ])("with %s", (_name, body, expected) => {
    expect(flaws(EventEmit, body)).toEqual(expected);
  });
});

const anyBody = fc.record(
  {
    event_name: fc.constantFrom("monitor.down", "low_fps", "null", "1e3"),
    display_name: fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== ""),
    classification: fc.constantFrom("public", "team_only", "critical"),
    conditions: fc.array(
      fc.record(
        {
          metric: fc.constantFrom("latency_ms", "latency_sigma", "a.b:c-d"),
          operator: fc.constantFrom(...OPERATORS),
          value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
          window_minutes: fc.integer({ min: 0, max: 1440 }),
        },
        { requiredKeys: ["metric", "operator", "value"] },
      ),
      { maxLength: 3 },
    ),
    actions: fc.array(
      fc.oneof(
        fc.record({
          type: fc.constant("suppress_alerts_for"),
          duration_seconds: fc.integer({ min: 1, max: 1000 }),
        }),
        fc.record({ type: fc.constant("trigger_runbook"), webhook_id: fc.constant(ID) }),
      ),
      { maxLength: 3 },
    ),
    alert_channels: fc.dictionary(fc.constantFrom("a", "b.c"), fc.constantFrom("#x", "yes"), { noNullPrototype: true }),
    cooldown_seconds: fc.integer({ min: 0, max: 1000 }),
    max_fires_per_hour: fc.option(fc.integer({ min: 1, max: 60 })),
    notify_in_maintenance: fc.boolean(),
    is_enabled: fc.boolean(),
    monitor_id: fc.option(fc.constant(ID)),
  },
  { requiredKeys: ["event_name"] },
);

describe("export and import", () => {
  it("give back the same rules, as JSON and as YAML", () => {
    fc.assert(
      fc.property(fc.array(anyBody, { minLength: 1, maxLength: 5 }), (bodies) => {
        const rules = bodies.map(create);
        const file = exportRules(rules);
        const read = [JSON.parse(JSON.stringify(file)), parseYaml(formatYaml(file))];
        for (const raw of read) expect(EventRuleImport.parse(raw).rules.map(createContent)).toEqual(rules);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["another version", { version: 2, kind: "event_rules", rules: [{ event_name: "x" }] }, ["version"]],
    ["another kind", { version: 1, kind: "monitors", rules: [{ event_name: "x" }] }, ["kind"]],
    ["no rules", { version: 1, kind: "event_rules", rules: [] }, ["rules"]],
    ["200 rules", { version: 1, kind: "event_rules", rules: Array(200).fill({ event_name: "x" }) }, []],
    ["201 rules", { version: 1, kind: "event_rules", rules: Array(201).fill({ event_name: "x" }) }, ["rules"]],
    ["one bad rule", { version: 1, kind: "event_rules", rules: [{ event_name: "x" }, {}] }, ["rules.1.event_name"]],
  ])("judge a file with %s", (_name, file, expected) => {
    expect(flaws(EventRuleImport, file)).toEqual(expected);
  });

  it("warn of what may not be meant", () => {
    const raw = {
      version: 1,
      kind: "event_rules",
      rules: [
        { event_name: "x", severity: "high", id: ID },
        { event_name: "y", is_enabled: false },
        { event_name: "x" },
      ],
    };
    expect(listImportWarnings(EventRuleImport.parse(raw), raw, [create({ event_name: "y" })])).toEqual([
      "rules[0].severity is unknown and was ignored",
      "rules[1] is equal to another rule of the status page",
      "rules[1] is disabled",
      "rules[2] is equal to another rule of the status page",
    ]);
  });
});
