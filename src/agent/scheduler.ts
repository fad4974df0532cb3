import type { AgentAssignment } from "../contract/agent.ts";
import { CheckRules } from "../contract/check-rules.ts";
import { type Hours, hoursOf, intervalsWhileDown } from "../domain/check-rest.ts";
import { retryDelayMs } from "../domain/check-schedule.ts";
import { fnv1a } from "../lib/fnv.ts";
import type { CheckedResult } from "./buffer.ts";
import type { Checked } from "./checker.ts";

/** Choice: enough to keep slow targets from holding up the others, few enough for a small host. */
const CONCURRENT_MAX = 32;
/** New monitors are checked at once, but not all in the same moment. */
const STAGGER_MS = 50;

export interface SchedulerParts {
  check(assignment: AgentAssignment): Promise<Checked>;
  onResult(assignment: AgentAssignment, result: CheckedResult): void;
  /** A check was not possible; `isNew` when the reason differs from the time before. */
  onError(assignment: AgentAssignment, reason: string, isNew: boolean): void;
  /** A check begins this long after the time that it was planned for. */
  onStart?(latenessMs: number): void;
  now(): number;
}

export interface ScheduledMonitor {
  assignment: AgentAssignment;
  last: Checked | null;
}

interface Entry extends ScheduledMonitor {
  timer: NodeJS.Timeout | undefined;
  running: Promise<Checked> | null;
  /** In a row. */
  failures: number;
  successes: number;
  lastCheckedAt: number;
  rules: CheckRules;
  /** Null: it is checked at any time. */
  hours: Hours | null;
}

/**
 * Checks each assigned monitor once an interval, at a phase of its own, so that a host's checks spread over the interval, or
 * at that of the monitor's other locations.
 * After a failure it checks again after `retry_interval`, until as many have failed as bring the monitor down.
 */
export class Scheduler {
  readonly #parts: SchedulerParts;
  #entries = new Map<string, Entry>();
  #running = 0;
  #checks = new Set<Promise<Checked>>();
  #waiting: (() => void)[] = [];
  #isStopped = false;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  get monitors(): ScheduledMonitor[] {
    return [...this.#entries.values()];
  }

  has(monitorId: string): boolean {
    return this.#entries.has(monitorId);
  }

  /** Monitors that are new or were changed are checked at once; those that are gone, no more. */
  assign(assignments: readonly AgentAssignment[]): void {
    if (this.#isStopped) return;
    const wanted = new Map(assignments.map((assignment) => [assignment.id, assignment]));
    for (const [id, entry] of this.#entries) {
      if (wanted.has(id)) continue;
      clearTimeout(entry.timer);
      this.#entries.delete(id);
    }
    let started = 0;
    for (const assignment of assignments) {
      const known = this.#entries.get(assignment.id);
      if (known?.assignment.config_version === assignment.config_version) {
        const isMoved = known.assignment.slot_phase_ms !== assignment.slot_phase_ms;
        known.assignment = assignment;
        if (isMoved && known.running === null) this.#plan(known, delayUntilNext(known, this.#parts.now()));
        continue;
      }
      clearTimeout(known?.timer);
      const lastCheckedAt = known?.lastCheckedAt ?? 0;
      const counters = { failures: 0, successes: 0, lastCheckedAt };
      const rules = rulesOf(assignment);
      const hours = hoursOf(rules);
      const entry: Entry = { assignment, rules, hours, last: null, timer: undefined, running: null, ...counters };
      this.#entries.set(assignment.id, entry);
      this.#plan(entry, started++ * STAGGER_MS);
    }
  }

  /** Checks a monitor now, besides its schedule. Undefined: it is not assigned. */
  checkNow(monitorId: string): Promise<Checked> | undefined {
    const entry = this.#entries.get(monitorId);
    return entry && this.#run(entry);
  }

  /** Plans no more checks, and waits for those that run. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { timer } of this.#entries.values()) clearTimeout(timer);
    await Promise.all(this.#checks);
  }

  #plan(entry: Entry, delayMs: number): void {
    if (this.#isStopped || this.#entries.get(entry.assignment.id) !== entry) return;
    clearTimeout(entry.timer);
    const dueAt = performance.now() + delayMs;
    entry.timer = setTimeout(() => {
      const now = this.#parts.now();
      if (isResting(entry, now)) this.#plan(entry, delayUntilNext(entry, now));
      else void this.#run(entry, dueAt);
    }, delayMs);
  }

  /** A check that runs already serves for a second call. */
  #run(entry: Entry, dueAt = performance.now()): Promise<Checked> {
    if (entry.running !== null) return entry.running;
    const check = this.#check(entry, dueAt).finally(() => {
      entry.running = null;
      this.#checks.delete(check);
      this.#plan(entry, delayUntilNext(entry, this.#parts.now()));
    });
    entry.running = check;
    this.#checks.add(check);
    return check;
  }

  async #check(entry: Entry, dueAt: number): Promise<Checked> {
    await this.#enter();
    this.#parts.onStart?.(performance.now() - dueAt);
    const { assignment } = entry;
    try {
      const checked = await this.#parts.check(assignment);
      // What was measured by settings that were replaced meanwhile is of no use.
      if (this.#entries.get(assignment.id) === entry) this.#note(entry, checked);
      return checked;
    } finally {
      this.#leave();
    }
  }

  #note(entry: Entry, checked: Checked): void {
    const { assignment, last } = entry;
    entry.last = checked;
    if (!checked.ok) {
      const isNew = last === null || last.ok || last.reason !== checked.reason;
      this.#parts.onError(assignment, checked.reason, isNew);
      return;
    }
    const { result } = checked;
    entry.failures = result.status === "down" ? entry.failures + 1 : 0;
    entry.successes = result.status === "up" ? entry.successes + 1 : 0;
    // Two results of one millisecond would be one to the service.
    const checked_at = Math.max(result.checked_at, entry.lastCheckedAt + 1);
    entry.lastCheckedAt = checked_at;
    const is_settled = entry.successes > assignment.recovery_threshold;
    this.#parts.onResult(assignment, { ...result, checked_at, is_settled });
  }

  async #enter(): Promise<void> {
    if (this.#running >= CONCURRENT_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
  }

  /** The place goes to the next in line, if there is one. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}

function delayUntilNext({ assignment, failures, rules }: Entry, now: number): number {
  const intervalMs = assignment.interval * 1000;
  if (failures > 0 && failures < assignment.failure_threshold) {
    const is_backoff = rules.follow_retries === "backoff";
    const retry = { interval_ms: intervalMs, retry_interval_ms: assignment.retry_interval * 1000, is_backoff };
    return retryDelayMs(retry, failures - 1);
  }
  const phase = assignment.slot_phase_ms ?? fnv1a(assignment.id) % intervalMs;
  const every = failures === 0 ? 1 : intervalsWhileDown(assignment.interval, rules.interval_down);
  const periodMs = every * intervalMs;
  return periodMs - ((now - phase) % periodMs);
}

function isResting({ hours }: Entry, now: number): boolean {
  return hours !== null && !hours.contains(now);
}

/** A service of a later release may say what this program does not know, which changes nothing. */
function rulesOf({ options }: AgentAssignment): CheckRules {
  return CheckRules.catch(CheckRules.parse({})).parse(options);
}
