import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { zonedClock } from "../lib/zoned-days.ts";

/** How far back or forward a clock change moves the clocks at most; whole days are skipped at the date line. */
const CLOCKS_BACK_MAX_MS = 4 * HOUR_MS;
const CLOCKS_FORWARD_MAX_MS = DAY_MS;
/** How far ahead the end of a user's time on call is computed. */
const UNTIL_HORIZONS_MS = [2 * DAY_MS, 15 * DAY_MS, 92 * DAY_MS];
/** How far ahead the turns of a rotation are looked through for the next person who is in the team. */
const NEXT_TURN_HORIZON_MS = 92 * DAY_MS;
export const GAP_HORIZON_MS = 72 * HOUR_MS;

/** All spans are half-open, in epoch milliseconds. */
export interface Span {
  start_at: number;
  end_at: number;
}

export interface Shift extends Span {
  user_id: string;
}

export interface Rotation {
  /** Not empty. */
  user_ids: readonly string[];
  start_at: number;
  period_hours: number;
  /** `09:00`; null: the time of day of start_at. */
  handoff_time: string | null;
}

/** At least one of the two users is set. */
export interface Override extends Span {
  add_user_id: string | null;
  remove_user_id: string | null;
}

export interface Schedule {
  timezone: string;
  is_active: boolean;
  shifts: readonly Shift[];
  /** At most one. */
  rotations: readonly Rotation[];
  overrides: readonly Override[];
  /** Users who left the team; what they are on call for is a gap. */
  absent?: ReadonlySet<string>;
}

/** `user_id` null is a gap. */
export interface OnCallInterval extends Span {
  user_id: string | null;
}

export interface ScheduleFlaw {
  path: string;
  message: string;
}

/** The first contradiction within a schedule; null for a valid one. */
export function findScheduleFlaw({ shifts, rotations }: Pick<Schedule, "shifts" | "rotations">): ScheduleFlaw | null {
  if (shifts.length > 0 && rotations.length > 0) {
    return { path: "rotations", message: "must not be set together with shifts" };
  }
  const inOrder = shifts.map((shift, index) => ({ ...shift, index })).sort((a, b) => a.start_at - b.start_at);
  for (const [n, shift] of inOrder.entries()) {
    const next = inOrder[n + 1];
    if (next === undefined || next.start_at >= shift.end_at) continue;
    const [first, second] = [shift.index, next.index].sort((a, b) => a - b);
    return { path: `shifts[${second}]`, message: `must not overlap shifts[${first}]` };
  }
  return null;
}

/**
 * Who is on call over a range: intervals that cover it without a hole, in order; neighbours differ. Hand-offs of a rotation
 * keep their time of day through clock changes: a skipped time moves forward, a repeated one means the first.
 */
export function listOnCall(schedule: Schedule, { start_at: from, end_at: to }: Span): OnCallInterval[] {
  if (from >= to) return [];
  if (!schedule.is_active) return [{ user_id: null, start_at: from, end_at: to }];
  const regular = [
    ...schedule.shifts,
    ...schedule.rotations.flatMap((each) => listTurns(each, schedule.timezone, from, to)),
  ]
    .filter(({ start_at, end_at }) => start_at < to && end_at > from)
    .sort((a, b) => a.start_at - b.start_at);
  const overrides = schedule.overrides.filter(({ start_at, end_at }) => start_at < to && end_at > from);
  const edges = listEdges([...regular, ...overrides], from, to);
  const present = (user: string | null) => (user !== null && schedule.absent?.has(user) ? null : user);

  const intervals: OnCallInterval[] = [];
  let turn = 0;
  for (const [n, start_at] of edges.slice(0, -1).entries()) {
    while ((regular[turn]?.end_at ?? Number.POSITIVE_INFINITY) <= start_at) turn += 1;
    const current = regular[turn];
    const user = current !== undefined && current.start_at <= start_at ? current.user_id : null;
    const user_id = present(applyOverrides(present(user), overrides, start_at));
    const end_at = edges[n + 1] ?? to;
    const last = intervals.at(-1);
    if (last?.user_id === user_id) last.end_at = end_at;
    else intervals.push({ user_id, start_at, end_at });
  }
  return intervals;
}

/** What a calendar shows: it begins with the first shift, turn or override, before which nobody was to be on call. */
export function listCalendar(schedule: Schedule, { start_at, end_at }: Span): OnCallInterval[] {
  const spans = [...schedule.shifts, ...schedule.rotations, ...schedule.overrides];
  const begins_at = Math.min(...spans.map((span) => span.start_at));
  return listOnCall(schedule, { start_at: Math.max(start_at, begins_at), end_at });
}

function listEdges(spans: readonly Span[], from: number, to: number): number[] {
  const edges = new Set([from, to]);
  for (const { start_at, end_at } of spans) {
    if (start_at > from) edges.add(start_at);
    if (end_at < to) edges.add(end_at);
  }
  return [...edges].sort((a, b) => a - b);
}

/**
 * Choice: an override that names both users replaces one by the other and fills gaps, so that a swap of shifts leaves a
 * third person's shift alone and never leaves a gap.
 */
function applyOverrides(user: string | null, overrides: readonly Override[], at: number): string | null {
  let current = user;
  for (const { start_at, end_at, add_user_id, remove_user_id } of overrides) {
    if (at < start_at || at >= end_at) continue;
    if (remove_user_id === null || current === remove_user_id || (add_user_id !== null && current === null)) {
      current = add_user_id;
    }
  }
  return current;
}

export interface OnCall {
  user_id: string;
  /** Null: longer than 92 days. */
  until: number | null;
}

/** Who is on call at an instant, and until when; null in a gap. */
export function findOnCall(schedule: Schedule, at: number): OnCall | null {
  for (const horizon of UNTIL_HORIZONS_MS) {
    const [current] = listOnCall(schedule, { start_at: at, end_at: at + horizon });
    if (current === undefined || current.user_id === null) return null;
    if (current.end_at < at + horizon) return { user_id: current.user_id, until: current.end_at };
    if (horizon === UNTIL_HORIZONS_MS.at(-1)) return { user_id: current.user_id, until: null };
  }
  return null;
}

export interface Gap extends Span {
  /** When the gap began, possibly before the range; null: no user was ever on call before. */
  began_at: number | null;
}

export interface Turn {
  user_id: string;
  at: number;
}

/** The first turn that is to come, where nobody was ever on call before; null where there is none, or somebody left. */
export function findFirstTurn(schedule: Schedule, { began_at, start_at }: Gap): Turn | null {
  return began_at !== null || (schedule.absent?.size ?? 0) > 0 ? null : findNextTurn(schedule, start_at);
}

/** Who is on call next, at or after an instant; null: nobody is planned. */
function findNextTurn(schedule: Schedule, from: number): Turn | null {
  const spans = [...schedule.shifts, ...schedule.overrides].flatMap(({ start_at, end_at }) => [start_at, end_at]);
  const later = [...spans, ...schedule.rotations.map(({ start_at }) => start_at)].filter((at) => at > from);
  const ranges = later.sort((a, b) => a - b).map((at) => ({ start_at: at, end_at: at + 1 }));
  for (const range of [{ start_at: from, end_at: from + NEXT_TURN_HORIZON_MS }, ...ranges]) {
    const next = listOnCall(schedule, range).find(({ user_id }) => user_id !== null);
    if (next?.user_id != null) return { user_id: next.user_id, at: next.start_at };
  }
  return null;
}

/** A gap as the planner of a schedule reads of it: until the schedule begins, between two turns, or after its last. */
export interface Vacancy {
  kind: "before" | "between" | "after";
  /** Null: nobody was ever on call before. */
  from: number | null;
  next: Turn | null;
}

/** Of the next 72 hours. */
export function listVacancies(schedule: Schedule, now: number): Vacancy[] {
  return listGaps(schedule, { start_at: now, end_at: now + GAP_HORIZON_MS }).map((gap) => {
    const next = findNextTurn(schedule, gap.start_at);
    if (next === null) return { kind: "after", from: gap.began_at, next };
    return findFirstTurn(schedule, gap)
      ? { kind: "before", from: null, next }
      : { kind: "between", from: gap.began_at ?? gap.start_at, next };
  });
}

/** Spans of the range without a user on call. An inactive schedule has none. */
export function listGaps(schedule: Schedule, range: Span): Gap[] {
  if (!schedule.is_active) return [];
  return listOnCall(schedule, range)
    .filter(({ user_id }) => user_id === null)
    .map(({ start_at, end_at }) => ({
      start_at,
      end_at,
      began_at: start_at > range.start_at ? start_at : findGapStart(schedule, start_at),
    }));
}

/** Goes back over the edges of shifts and overrides; a rotation that began leaves no gap of its own. */
function findGapStart(schedule: Schedule, at: number): number | null {
  const edges = [...schedule.shifts, ...schedule.overrides]
    .flatMap(({ start_at, end_at }) => [start_at, end_at])
    .filter((edge) => edge <= at)
    .sort((a, b) => b - a);
  return edges.find((edge) => listOnCall(schedule, { start_at: edge - 1, end_at: edge })[0]?.user_id != null) ?? null;
}

/** The turns of a rotation that touch a range. */
function listTurns(rotation: Rotation, timezone: string, from: number, to: number): Shift[] {
  const { user_ids, start_at } = rotation;
  if (start_at >= to) return [];
  const [only] = user_ids;
  if (only !== undefined && user_ids.every((id) => id === only)) return [{ user_id: only, start_at, end_at: to }];

  const handoffs = handoffsOf(rotation, timezone);
  const first = handoffs.turnAt(Math.max(from, start_at));
  const starts: number[] = [];
  for (let n = first; (starts.at(-1) ?? from) < to; n += 1) starts.push(handoffs.startOf(n));
  // Where clocks skip more than one hand-off, a later turn may begin no later than an earlier one, which then has no time.
  for (let extra = 0; extra < handoffs.skippedMax; extra += 1) starts.push(handoffs.startOf(first + starts.length));

  const turns: Shift[] = [];
  let end = starts.at(-1) ?? to;
  for (let n = starts.length - 2; n >= 0; n -= 1) {
    const start = starts[n] ?? 0;
    if (start < end)
      turns.unshift({ user_id: user_ids[(first + n) % user_ids.length] ?? "", start_at: start, end_at: end });
    end = Math.min(end, start);
  }
  return turns;
}

/**
 * The hand-offs of a rotation: a grid of local times, period_hours apart, through handoff_time on the local day of
 * start_at. Turn 0 begins with start_at. Choice: where that is before handoff_time, the first turn is longer than the
 * others, so that weekly hand-offs fall on the weekday of start_at.
 */
function handoffsOf({ start_at, period_hours, handoff_time }: Rotation, timezone: string) {
  const clock = zonedClock(timezone);
  const period = period_hours * HOUR_MS;
  const begin = start_at + clock.offsetAt(start_at);
  const midnight = Math.floor(begin / DAY_MS) * DAY_MS;
  const grid = handoff_time === null ? begin : midnight + minutesOf(handoff_time) * MINUTE_MS;
  const anchor = grid + Math.max(0, Math.floor((begin - grid) / period)) * period;
  const startOf = (turn: number) => (turn === 0 ? start_at : clock.instantOf(anchor + turn * period));
  /** The latest turn that began by `at`, which is not before start_at. */
  const turnAt = (at: number) => {
    const ahead = Math.ceil(CLOCKS_BACK_MAX_MS / period);
    let turn = Math.max(0, Math.floor((clock.toLocal(at) - anchor) / period) + ahead);
    while (turn > 0 && startOf(turn) > at) turn -= 1;
    return turn;
  };
  return { startOf, turnAt, skippedMax: Math.ceil(CLOCKS_FORWARD_MAX_MS / period) };
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
