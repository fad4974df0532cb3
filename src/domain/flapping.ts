import { MINUTE_MS } from "../lib/durations.ts";
/**
 * Damping of alerts about a monitor that changes its status again and again. It decides what people are notified of:
 * statuses, outages and history do not pass here, and the automatic incident stays open until flapping ends. The caller
 * stores the state with the effects and calls again at `wake_at`; calling earlier, later or twice gives the same deliveries.
 */
export interface FlappingRules {
  /** More announced changes than this within the window are flapping. */
  changes_max: number;
  window_ms: number;
  /** Without a change for so long, flapping ends. */
  stable_ms: number;
  /** The longest that a delivery waits. */
  hold_max_ms: number;
  /** A monitor that is down for so long is announced although it flaps. */
  down_after_ms: number;
}

export const FLAPPING_RULES: FlappingRules = {
  changes_max: 6,
  window_ms: 10 * MINUTE_MS,
  stable_ms: 5 * MINUTE_MS,
  hold_max_ms: 15 * MINUTE_MS,
  down_after_ms: MINUTE_MS,
};

export const CHANGE_EVENTS = ["monitor.down", "monitor.up", "monitor.degraded"] as const;
export type ChangeEvent = (typeof CHANGE_EVENTS)[number];

interface Change {
  /** Of the transition; increases, so that repeated inputs are recognised. */
  seq: number;
  event: ChangeEvent;
  at: number;
}

export interface FlappingState {
  /** The newest change that was decided. */
  last_seq: number;
  /** The latest time that was seen. */
  seen_at: number;
  /** Announced changes of the window while the monitor does not flap. */
  changed_at: readonly number[];
  flapping: {
    since: number;
    changed_at: number;
    /** The latest change that is not delivered; `since` is the time of the first one that it replaces. */
    held: (Change & { since: number }) | null;
    /** Changes to down or degraded that were delivered and whose end was not; the previous release stores none. */
    unended?: readonly number[];
    /** The change with which it began; missing as well. */
    began_seq?: number;
    /** A recovery was delivered since flapping was announced. */
    is_answered?: boolean;
  } | null;
}

export const STEADY: FlappingState = { last_seq: 0, seen_at: 0, changed_at: [], flapping: null };

export type FlappingInput =
  | {
      kind: "change";
      seq: number;
      event: ChangeEvent;
      is_withheld?: boolean;
      /** The announced changes that a recovery ends. */
      ends?: readonly number[];
    }
  /** `wake_at` is reached, or a sweep runs. */
  | { kind: "tick"; is_withheld?: boolean }
  /** The monitor was paused: nothing is delivered about it any more. */
  | { kind: "pause" };

export type FlappingEffect =
  | { kind: "deliver"; seq: number; event: ChangeEvent }
  /** A held recovery: those receive it who received one of these changes, or that the monitor flaps. */
  | { kind: "deliver_end"; seq: number; event: "monitor.up"; ends: Ends | null }
  /** Something else withholds the held event, and announces it when it is over. */
  | { kind: "withhold"; seq: number; event: ChangeEvent }
  /** The event's deliveries are not sent yet. */
  | { kind: "hold"; seq: number }
  /** A held event was overtaken by a later one and is not delivered. */
  | { kind: "drop"; seq: number }
  /** Emits `monitor.flapping`, once an episode. */
  | { kind: "announce_flapping"; seq: number; changes: number }
  | { kind: "flapping_ended" };

export interface Ends {
  seqs: readonly number[];
  flapping: boolean;
}

export interface FlappingDecision {
  state: FlappingState;
  effects: FlappingEffect[];
  /** When time alone changes something; null while the monitor is steady. */
  wake_at: number | null;
}

/**
 * `rules` null switches damping off; what is held then goes out at once. `is_withheld`: a window, a mute or a rule withholds
 * alerts about changes to down or degraded. Such a change overtakes what is held, and is not held itself.
 */
export function decide(
  state: FlappingState,
  input: FlappingInput,
  rules: FlappingRules | null,
  now: number,
): FlappingDecision {
  // A clock that goes back neither shortens the wait nor drops changes.
  const at = Math.max(now, state.seen_at);
  const isWithheld = input.kind !== "pause" && input.is_withheld === true;
  const settled = settleDue({ ...state, seen_at: at }, rules, { at, isWithheld });
  switch (input.kind) {
    case "tick":
      return conclude(settled.state, settled.effects, rules);
    case "pause":
      return conclude(
        { ...settled.state, changed_at: [], flapping: null },
        [...settled.effects, ...dropHeld(settled.state), ...end(settled.state)],
        rules,
      );
    case "change": {
      if (input.seq <= state.last_seq) return conclude(settled.state, settled.effects, rules);
      const change = { seq: input.seq, event: input.event, at };
      const decided = isWithheld
        ? overtake(settled.state, change)
        : decideChange(settled.state, { change, ends: input.ends ?? [] }, rules);
      return conclude(decided.state, [...settled.effects, ...decided.effects], rules);
    }
  }
}

/** What something else withheld is announced while the monitor flaps: its end is awaited, too. */
export function noteAnnounced(state: FlappingState, seq: number): FlappingState {
  if (!state.flapping?.unended) return state;
  const unended = [...state.flapping.unended, seq].slice(-UNENDED_MAX);
  return { ...state, flapping: { ...state.flapping, unended } };
}

interface Step {
  state: FlappingState;
  effects: FlappingEffect[];
}

/** What is held is over, and the change itself is none of damping's. */
function overtake(before: FlappingState, { seq, at }: Change): Step {
  const state = { ...before, last_seq: seq };
  if (state.flapping === null) return { state, effects: [] };
  return { state: { ...state, flapping: { ...state.flapping, changed_at: at, held: null } }, effects: dropHeld(state) };
}

function decideChange(
  before: FlappingState,
  { change, ends }: { change: Change; ends: readonly number[] },
  rules: FlappingRules | null,
): Step {
  const state = { ...before, last_seq: change.seq };
  const deliver: FlappingEffect = { kind: "deliver", seq: change.seq, event: change.event };
  if (rules === null) return { state, effects: [deliver] };
  if (state.flapping !== null) {
    const held = { ...change, since: state.flapping.held?.since ?? change.at };
    const flapping = { ...state.flapping, changed_at: change.at, held };
    return { state: { ...state, flapping }, effects: [...dropHeld(state), { kind: "hold", seq: change.seq }] };
  }
  const changed_at = [...state.changed_at.filter((at) => change.at - at < rules.window_ms), change.at];
  if (changed_at.length <= rules.changes_max) return { state: { ...state, changed_at }, effects: [deliver] };
  // A recovery waits, so that the last that is read of it is not that it flaps.
  const isEnd = change.event === "monitor.up";
  const flapping = {
    since: change.at,
    changed_at: change.at,
    held: isEnd ? { ...change, since: change.at } : null,
    began_seq: change.seq,
    unended: isEnd ? ends : [change.seq],
  };
  return {
    state: { ...state, changed_at: [], flapping },
    effects: [
      isEnd ? { kind: "hold", seq: change.seq } : deliver,
      { kind: "announce_flapping", seq: change.seq, changes: changed_at.length },
    ],
  };
}

/** What became due up to `at`, whenever that is noticed. */
function settleDue(
  state: FlappingState,
  rules: FlappingRules | null,
  { at, isWithheld }: { at: number; isWithheld: boolean },
): Step {
  const { flapping } = state;
  if (flapping === null) return { state, effects: [] };
  const { held } = flapping;
  const isOver = rules === null || at >= flapping.changed_at + rules.stable_ms;
  if (isOver) {
    return {
      state: { ...state, flapping: null },
      effects: [...deliverHeld(flapping, isWithheld), { kind: "flapping_ended" }],
    };
  }
  if (held === null || at < releaseAt(held, rules)) return { state, effects: [] };
  const effects = deliverHeld(flapping, isWithheld);
  return { state: { ...state, flapping: { ...flapping, held: null, ...answer(flapping, held, isWithheld) } }, effects };
}

type Flapping = NonNullable<FlappingState["flapping"]>;

/** As many announced changes are remembered: each of their receivers has received one of the latest. */
const UNENDED_MAX = 5;

/** What is unended after the held change was delivered. */
function answer(
  { unended, is_answered }: Flapping,
  { event, seq }: Change,
  isWithheld: boolean,
): Pick<Flapping, "unended" | "is_answered"> {
  if (event === "monitor.up") return { unended: [], is_answered: true };
  return { unended: isWithheld ? unended : unended && [...unended, seq].slice(-UNENDED_MAX), is_answered };
}

function releaseAt(held: Change & { since: number }, rules: FlappingRules): number {
  const latest = held.since + rules.hold_max_ms;
  return held.event === "monitor.down" ? Math.min(latest, held.at + rules.down_after_ms) : latest;
}

function deliverHeld({ held, unended, is_answered }: Flapping, isWithheld: boolean): FlappingEffect[] {
  if (held === null) return [];
  const { seq, event } = held;
  if (event !== "monitor.up") return [{ kind: isWithheld ? "withhold" : "deliver", seq, event }];
  const ends = unended ? { seqs: unended, flapping: is_answered !== true } : null;
  return [{ kind: "deliver_end", seq, event, ends }];
}

function dropHeld({ flapping }: FlappingState): FlappingEffect[] {
  return flapping?.held ? [{ kind: "drop", seq: flapping.held.seq }] : [];
}

function end({ flapping }: FlappingState): FlappingEffect[] {
  return flapping === null ? [] : [{ kind: "flapping_ended" }];
}

function conclude(state: FlappingState, effects: FlappingEffect[], rules: FlappingRules | null): FlappingDecision {
  const { flapping } = state;
  if (flapping === null || rules === null) return { state, effects, wake_at: null };
  const over = flapping.changed_at + rules.stable_ms;
  return { state, effects, wake_at: flapping.held === null ? over : Math.min(over, releaseAt(flapping.held, rules)) };
}
