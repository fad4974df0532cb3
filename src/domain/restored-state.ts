import type { MonitorStatus } from "../contract/monitor-values.ts";
import { initialState, type MonitorState, type Outage, type Transition } from "./monitor-state.ts";

/** The status of a monitor as its row in D1 has it. */
export interface ProjectedState {
  status: MonitorStatus;
  status_since: number;
  seq: number;
  created_at: number;
}

/** The newest transition that D1 has of a monitor. */
export interface RecordedTransition {
  seq: number;
  to: MonitorStatus;
  effective_at: number;
  /** The outage that is open after it. */
  outage: Outage | null;
}

interface Known {
  /** What the object knows; null where it was lost. */
  state: MonitorState | null;
  /** The transitions that D1 has not confirmed, oldest first. */
  outbox: readonly Transition[];
  projected: ProjectedState;
  recorded: RecordedTransition | null;
  /** Until when D1 knew what happened. */
  known_until: number;
}

const LOST = "history was lost in a restore";

/**
 * Makes an object and D1 agree after one of them went back in time: the one with the larger sequence goes on. Where D1
 * lacks transitions, its last status ends as unknown when its knowledge ends, and the present status begins after it.
 */
export function reconcileState(known: Known, now: number): { state: MonitorState; outbox: Transition[] } {
  const { recorded, projected } = known;
  const own = known.state !== null && known.state.seq >= projected.seq ? known.state : null;
  const state = own ?? fromProjection(projected, recorded);
  const outbox = own ? [...known.outbox] : [];
  const nextSeq = outbox[0]?.seq ?? state.seq + 1;
  const from = recorded?.to ?? firstState(projected).status;
  const isWhole = (recorded?.seq ?? 0) + 1 >= nextSeq && (outbox.length > 0 || from === state.status);
  if (isWhole) return { state, outbox };

  const endedAt = clamp(known.known_until, recorded?.effective_at ?? projected.created_at, now);
  const gap = bridge(
    { seq: nextSeq - 1, from, to: "unknown", effective_at: endedAt, outage: recorded?.outage ?? null },
    now,
  );
  if (outbox.length > 0) return { state, outbox: [gap, ...outbox] };
  return resume(state, { from, recorded, gap }, now);
}

/** Ends the gap with the present status, of which D1 knows nothing and no transition is on its way. */
function resume(
  state: MonitorState,
  { from, recorded, gap }: { from: MonitorStatus; recorded: RecordedTransition | null; gap: Transition },
  now: number,
): { state: MonitorState; outbox: Transition[] } {
  const seq = state.seq + 1;
  const since = clamp(state.status_since, gap.effective_at, now);
  const hasGap = since > gap.effective_at && gap.seq > (recorded?.seq ?? 0) && from !== "unknown";
  const isDown = state.status === "down";
  const open = recorded?.outage ?? state.outage ?? (isDown ? { seq, started_at: since } : null);
  const isNewOutage = isDown && recorded?.outage == null && state.outage === null;
  const present: Transition = {
    ...bridge({ seq, from: hasGap ? "unknown" : from, to: state.status, effective_at: since, outage: open }, now),
    event: isNewOutage ? "monitor.down" : state.status === "up" && recorded?.outage ? "monitor.up" : null,
  };
  const outage = state.status === "up" ? null : open;
  return {
    state: { ...state, seq, status_since: since, outage },
    outbox: hasGap ? [gap, present] : [present],
  };
}

/** As the monitor was created, which its row says until the first transition. */
export function firstState({ status, seq, created_at }: ProjectedState): MonitorState {
  return initialState(created_at, seq === 0 && status === "paused" ? status : "pending");
}

function fromProjection(projected: ProjectedState, recorded: RecordedTransition | null): MonitorState {
  const { seq, status, status_since } = projected;
  const initial = firstState(projected);
  if (seq === 0) return initial;
  return { ...initial, status, status_since, seq, outage: status === "up" ? null : (recorded?.outage ?? null) };
}

function bridge(
  transition: Pick<Transition, "seq" | "from" | "to" | "effective_at" | "outage">,
  now: number,
): Transition {
  return {
    ...transition,
    at: now,
    message: LOST,
    latency_ms: null,
    region: null,
    checked_at: null,
    event: null,
    follows_gap: true,
  };
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), Math.max(min, max));
}
