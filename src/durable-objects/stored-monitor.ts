import type { MonitorRecord } from "../data/monitors/read.ts";
import { decide, type MonitorRules, type MonitorState } from "../domain/monitor-state.ts";
import { INITIAL_PUSH_STATE, type PushRules, type PushState, restartDeadlines } from "../domain/push-deadline.ts";
import { firstState, type RecordedTransition, reconcileState } from "../domain/restored-state.ts";
import { monitorType } from "../probes/registry.ts";
import { compositePolicyOf, pushRulesOf, rulesOf } from "./monitor-rules.ts";
import type { Outbox } from "./transition-outbox.ts";

/** What an object stores of its monitor, and how it follows from the monitor's row in D1. */

/** The state of an object: one row, so that state and outbox change together. */
export interface StoredMonitor extends Outbox {
  storage_version: 1;
  monitor_id: string;
  config_version: number;
  /** The epoch (domain/epoch.ts) in which the configuration was read; absent in older rows. */
  epoch?: string;
  rules: MonitorRules;
  /** Of monitors that others report to. */
  push: {
    rules: PushRules;
    credential_version: number;
    /** Absent in older rows: root key 1. */
    credential_key?: number;
    memory: PushState;
    /** Event rules of the page may listen to what is pushed; absent in older rows. */
    evaluates_rules?: boolean;
  } | null;
  /** Of composites, whose pause and status follow from more than their own row. */
  composite: {
    paused: boolean;
    /** Absent in older rows: the default. */
    policy?: string;
  } | null;
  /** Of monitors of type agent, whose status is that of their agent. */
  follows_agent?: { paused: boolean; agent_id: string } | null;
  state: MonitorState;
  settled: boolean;
  /** How often pushes improved the status since then; absent before the first time, and in older rows. */
  recoveries?: { since: number; count: number };
  /** What led to the present status. */
  message: string | null;
  /** Grows whenever this row is written. */
  revision: number;
  /** When the monitor's row was last read; absent in older rows. */
  read_at?: number;
  /** How often the alarm has sent the oldest transitions again, and when it does so next. */
  resends?: number;
  resend_at?: number;
}

/** A monitor's row in D1. `past` is given where the object cannot simply continue: after a restore or a loss. */
export interface LoadedMonitor {
  monitor: MonitorRecord;
  epoch: string;
  past: { recorded: RecordedTransition | null; known_until: number } | null;
  /** Its agents that are in the edge's own network. */
  inside: readonly string[];
}

interface Configuring {
  /** What the newest push left in the ring, for a monitor whose row does not say so. */
  recall: () => PushState | undefined;
  at: number;
}

/** The row under the configuration that was loaded. */
export function configureStored(
  loaded: LoadedMonitor,
  present: StoredMonitor | undefined,
  { recall, at }: Configuring,
): StoredMonitor {
  const { monitor: record, epoch, inside } = loaded;
  const rules = pushRulesOf(record);
  const { follows } = monitorType(record.type);
  const { paused, agent_id } = record;
  return {
    storage_version: 1,
    monitor_id: record.id,
    config_version: record.config_version,
    epoch,
    rules: rulesOf(record, rules, inside),
    push: rules && {
      rules,
      credential_version: record.credential_version,
      credential_key: record.credential_key,
      evaluates_rules: record.has_metric_rules,
      memory: memoryUnder(rules, present, { recall, at }),
    },
    composite: follows === "members" ? { paused, policy: compositePolicyOf(record) } : null,
    follows_agent: follows === "agent" && agent_id ? { paused, agent_id } : null,
    ...withoutQuestion(reconciled(loaded, present, at), present?.config_version === record.config_version),
    recoveries: present?.recoveries,
    settled: loaded.past === null && (present?.settled ?? false),
    message: present?.message ?? record.status_message,
    revision: Math.max(present?.revision ?? 0, record.state_revision),
    read_at: at,
    outbox_waiting: present?.outbox_waiting,
    resends: present?.resends,
    resend_at: present?.resend_at,
  };
}

/** An agent that is asked about an outage checks by the former configuration, which decides nothing of the present one. */
function withoutQuestion<Known extends { state: MonitorState }>(known: Known, isSame: boolean): Known {
  return isSame || !known.state.asked ? known : { ...known, state: { ...known.state, asked: null } };
}

/** Other deadlines than before begin to count when they become known. */
function memoryUnder(rules: PushRules, present: StoredMonitor | undefined, { recall, at }: Configuring): PushState {
  const memory = present?.push?.memory ?? recall() ?? INITIAL_PUSH_STATE;
  const isSame = JSON.stringify(present?.push?.rules) === JSON.stringify(rules);
  return isSame ? memory : restartDeadlines(memory, at);
}

/** The state, and the transitions that D1 has to hear of, after one of the two may have gone back in time. */
function reconciled({ monitor, past }: LoadedMonitor, present: StoredMonitor | undefined, at: number) {
  const { status, status_since, state_seq: seq, created_at } = monitor;
  const [state, outbox] = [present?.state ?? null, present?.outbox ?? []];
  const projected = { status, status_since, seq, created_at };
  if (past === null) return { state: state ?? firstState(projected), outbox };
  return reconcileState({ state, outbox, projected, ...past }, at);
}

/** The monitor after pushes that changed only the memory; the memory of the newest push contains the others. */
export function withMemory(stored: StoredMonitor, memory: PushState): StoredMonitor {
  if (!stored.push || memory.count <= stored.push.memory.count) return stored;
  const { result } = memory;
  const replayed = result && decide(stored.state, { kind: "result", ...result }, stored.rules, result.checked_at);
  return { ...stored, state: replayed?.state ?? stored.state, push: { ...stored.push, memory } };
}

/** Whether both are down, regardless of the rounds between them. */
export function isDownAsBefore(before: StoredMonitor | undefined, after: StoredMonitor | undefined): boolean {
  if (before?.state.status !== "down" || before.state.run !== null) return false;
  return after?.state.seq === before.state.seq && after.state.run === null && after.settled === before.settled;
}

/** Whether a push changed anything that its own row does not hold. */
export function changesMore(before: StoredMonitor, after: StoredMonitor): boolean {
  const { state } = after;
  return state.seq !== before.state.seq || state.run !== before.state.run || after.settled !== before.settled;
}
