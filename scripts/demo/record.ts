import type { StoredResult } from "../../src/contract/prober-object.ts";
import { incidentMonitors, incidents, incidentUpdates } from "../../src/data/incidents/table.ts";
import { statusIntervals } from "../../src/data/monitors/table.ts";
import { outages } from "../../src/data/outages/table.ts";
import { idFrom, newId } from "../../src/platform/ids.ts";
import type { Execute, Statement } from "../local/database.ts";
import { agentOf, type PlannedMonitor } from "./company.ts";
import { beginningOfPast, type Furnished, type FurnishedMonitor } from "./furnish.ts";
import { beginningOf, DAY_MS, HOUR_MS, MINUTE_MS, measure, stretchesOf, type Trouble } from "./past.ts";
import { insert, runAll } from "./rows.ts";
import { STORIES, type Story } from "./stories.ts";

/**
 * What happened before the demonstration was made. No request can make a past, so its rows are written into the tables of
 * the service; what checks found then goes to the objects that keep it, by the verb by which agents' results reach them.
 */
export interface Recording {
  execute: Execute;
  /** Keeps results of an agent. */
  addResults(agentId: string, results: StoredResult[]): Promise<void>;
  furnished: Furnished;
  owner_id: string;
  troubles: Map<string, Trouble[]>;
  now: number;
}

/** Numbers of what the service counts itself begin with 0. */
const BEFORE_FIRST = -1_000;
/** So many days ago and later a check is kept every so often: as densely as views of that age show it. */
const DENSITIES = [
  { days: 2, every_ms: 5 * MINUTE_MS },
  { days: 14, every_ms: HOUR_MS },
  { days: Number.POSITIVE_INFINITY, every_ms: 3 * HOUR_MS },
];

/** Before anything is checked: statuses, outages, incidents and the results of checks, until now. */
export async function recordPast(recording: Recording): Promise<void> {
  const { execute, furnished, troubles, now } = recording;
  const monitors = [...furnished.monitors.values()];
  await runAll(execute, [
    ...monitors.flatMap((monitor) => statusesOf(monitor, troubles.get(monitor.plan.name) ?? [], now)),
    ...monitors.flatMap((monitor) => outagesOf(recording, monitor)),
    ...STORIES.flatMap((story) => incidentOf(recording, story)),
    ...monitors.flatMap((monitor) => automaticIncidentsOf(recording, monitor)),
  ]);
  await recordResults(recording);
}

/** A monitor is as old as its past; what it was meanwhile stands before the interval that began with its creation. */
function statusesOf({ id }: FurnishedMonitor, troubles: readonly Trouble[], now: number): Statement[] {
  const from = beginningOfPast(now);
  const stretches = stretchesOf(troubles, { from, to: now });
  return [
    { sql: "UPDATE monitors SET created_at = ? WHERE id = ?", params: [from, id] },
    { sql: "UPDATE status_intervals SET from_at = ? WHERE monitor_id = ? AND to_at IS NULL", params: [now, id] },
    ...stretches.map(({ status, from: from_at, to: to_at }, n) =>
      insert(statusIntervals, { monitor_id: id, seq: BEFORE_FIRST + n, status, from_at, to_at, source: "agent" }),
    ),
  ];
}

function outagesOf({ furnished, troubles }: Recording, { id, plan }: FurnishedMonitor): Statement[] {
  const down = (troubles.get(plan.name) ?? []).filter(({ status }) => status === "down");
  return down.map(({ from, to, cause }, n) =>
    insert(outages, {
      id: idFrom("demonstration outage", id, String(n)),
      monitor_id: id,
      seq: BEFORE_FIRST + n,
      status_page_id: furnished.pages[plan.page],
      started_at: from,
      ended_at: to,
      cause,
      in_maintenance: false,
    }),
  );
}

function incidentOf({ furnished, owner_id, now }: Recording, story: Story): Statement[] {
  const id = newId();
  const started_at = beginningOf(story, now);
  const resolved_at = started_at + story.minutes * MINUTE_MS;
  const first = story.updates[0];
  const by = furnished.people[first?.[2] ?? story.assignee];
  const created_at = started_at + (first?.[0] ?? 0) * MINUTE_MS;
  return [
    insert(incidents, {
      id,
      owner_id,
      created_by: by,
      status_page_id: furnished.pages[story.page],
      title: story.title,
      severity: story.severity,
      status: "resolved",
      impact: story.impact,
      assigned_to_id: furnished.people[story.assignee],
      is_public: true,
      started_at,
      resolved_at,
      acknowledged_at: created_at,
      acknowledged_by: by,
      created_at,
      updated_at: resolved_at,
    }),
    ...affected(
      id,
      story.monitors.map((name) => furnished.monitors.get(name)?.id ?? ""),
    ),
    ...story.updates.map(([minutes, status, person, message]) =>
      updateOf({
        incident_id: id,
        status,
        message,
        created_by: furnished.people[person],
        at: started_at + minutes * MINUTE_MS,
      }),
    ),
  ];
}

/** As the service opens them for outages that no person wrote about. */
function automaticIncidentsOf(
  { furnished, owner_id, troubles }: Recording,
  { id, plan }: FurnishedMonitor,
): Statement[] {
  if (plan.members.length > 0) return [];
  const untold = (troubles.get(plan.name) ?? []).filter(({ story, status }) => story === null && status === "down");
  return untold.flatMap(({ from, to, cause }) => {
    const incident = newId();
    return [
      insert(incidents, {
        id: incident,
        owner_id,
        created_by: null,
        status_page_id: furnished.pages[plan.page],
        title: `${plan.name} is down`,
        severity: "minor",
        status: "resolved",
        is_public: plan.page !== "internal",
        started_at: from,
        resolved_at: to,
        origin_monitor_id: id,
        origin_outage_id: `${id}/${from}`,
        created_at: from,
        updated_at: to,
      }),
      ...affected(incident, [id]),
      updateOf({
        incident_id: incident,
        status: "investigating",
        message: `${plan.name} is down: ${cause}`,
        created_by: null,
        at: from,
      }),
      updateOf({
        incident_id: incident,
        status: "resolved",
        message: `${plan.name} is up again.`,
        created_by: null,
        at: to,
      }),
    ];
  });
}

const affected = (incident_id: string, monitorIds: readonly string[]) =>
  monitorIds.map((monitor_id) => insert(incidentMonitors, { incident_id, monitor_id }));

interface Update {
  incident_id: string;
  status: Story["updates"][number][1];
  message: string;
  created_by: string | null;
  at: number;
}

function updateOf({ at, ...update }: Update): Statement {
  return insert(incidentUpdates, { id: newId(), ...update, created_at: at, updated_at: at });
}

/** Day by day, so that each is added up before the next one comes. */
async function recordResults({ furnished, troubles, addResults, now }: Recording): Promise<void> {
  const begin = beginningOfPast(now);
  for (const [key, { id: agentId }] of Object.entries(furnished.agents)) {
    const checked = [...furnished.monitors.values()].filter(
      ({ plan }) => plan.target !== null && agentOf(plan) === key,
    );
    for (let day = begin; day < now; day += DAY_MS) {
      const to = Math.min(day + DAY_MS, now);
      await addResults(
        agentId,
        checked.flatMap(({ id, plan }) =>
          resultsOf({ id, plan }, troubles.get(plan.name) ?? [], { from: day, to, now }),
        ),
      );
    }
  }
}

const OUTCOMES = { up: "success", degraded: "slow", down: "failure" } as const;

function resultsOf(
  { id, plan }: { id: string; plan: PlannedMonitor },
  troubles: readonly Trouble[],
  { from, to, now }: { from: number; to: number; now: number },
): StoredResult[] {
  const density = DENSITIES.find(({ days }) => from > now - days * DAY_MS);
  const everyMs = Math.max(plan.interval * 1000, density?.every_ms ?? 0);
  const results: StoredResult[] = [];
  for (let at = Math.ceil(from / everyMs) * everyMs; at < to; at += everyMs) {
    const { status, latency_ms, message } = measure(plan, troubles, at);
    results.push({ monitor_id: id, checked_at: at, outcome: OUTCOMES[status], latency_ms, message });
  }
  return results;
}
