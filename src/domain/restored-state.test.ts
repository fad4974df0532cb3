import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { initialState, type MonitorState, type Outage, type Transition } from "./monitor-state.ts";
import { firstState, type ProjectedState, type RecordedTransition, reconcileState } from "./restored-state.ts";

const NOW = 10_000;
const OUTAGE: Outage = { seq: 5, started_at: 500 };

const state = (status: MonitorState["status"], seq: number, since = seq * 100, outage: Outage | null = null) => ({
  ...initialState(0),
  status,
  seq,
  status_since: since,
  outage,
});
const row = (status: ProjectedState["status"], seq: number, status_since = seq * 100): ProjectedState => ({
  status,
  seq,
  status_since,
  created_at: 0,
});
const last = (to: RecordedTransition["to"], seq: number, outage: Outage | null = null): RecordedTransition => ({
  to,
  seq,
  effective_at: seq * 100,
  outage,
});
const waiting = (seq: number, to: Transition["to"] = "down"): Transition => ({
  seq,
  from: "up",
  to,
  at: seq * 100,
  effective_at: seq * 100,
  message: "",
  latency_ms: null,
  region: null,
  checked_at: null,
  outage: null,
  event: null,
});
const short = (transitions: readonly Transition[]) =>
  transitions.map(({ seq, from, to, effective_at, event }) => [seq, from, to, effective_at, event]);

describe("an object whose row has everything", () => {
  const rows: [name: string, known: Parameters<typeof reconcileState>[0]][] = [
    ["and no transition is on its way", { ...at("up", 6), recorded: last("up", 6), outbox: [] }],
    ["but what is on its way", { ...at("up", 6), recorded: last("degraded", 5), outbox: [waiting(6, "up")] }],
    ["and there was none, as it was created paused", { ...at("paused", 0), recorded: null, outbox: [] }],
    ["and what was not confirmed yet", { ...at("up", 6), recorded: last("up", 6), outbox: [waiting(6, "up")] }],
  ];
  it.each(rows)("goes on unchanged (%s)", (_name, known) => {
    expect(reconcileState(known, NOW)).toEqual({ state: known.state, outbox: known.outbox });
  });
});

function at(status: MonitorState["status"], seq: number) {
  return { state: state(status, seq), projected: row(status, seq), known_until: 800 };
}

describe("an object that was lost", () => {
  const lost = { state: null, outbox: [], known_until: NOW };

  it("goes on with the status, the sequence and the open outage of D1, and announces nothing", () => {
    const known = { ...lost, projected: row("down", 5), recorded: last("down", 5, OUTAGE) };
    expect(reconcileState(known, NOW)).toEqual({ state: state("down", 5, 500, OUTAGE), outbox: [] });
  });

  it("begins anew where the monitor never had another status", () => {
    const known = { ...lost, projected: row("pending", 0, 40), recorded: null };
    expect(reconcileState(known, NOW)).toEqual({ state: initialState(0), outbox: [] });
    const paused = { ...lost, projected: row("paused", 0, 40), recorded: null };
    expect(reconcileState(paused, NOW)).toEqual({ state: initialState(0, "paused"), outbox: [] });
  });

  it("announces an outage that D1 shows and that was never announced", () => {
    const known = { ...lost, projected: row("down", 6, 600), recorded: last("up", 5) };
    const { state: next, outbox } = reconcileState(known, NOW);
    expect(short(outbox)).toEqual([[7, "up", "down", NOW, "monitor.down"]]);
    expect(next).toMatchObject({ status: "down", seq: 7, outage: { seq: 7 } });
  });
});

describe("an object whose D1 went back in time", () => {
  it("leaves the time between as unknown, without an announcement", () => {
    const known = { ...at("up", 9), projected: row("up", 4), recorded: last("up", 4), outbox: [] };
    const { state: next, outbox } = reconcileState({ ...known, state: state("up", 9, 5000) }, NOW);
    expect(short(outbox)).toEqual([
      [9, "up", "unknown", 800, null],
      [10, "unknown", "up", 5000, null],
    ]);
    expect(next).toMatchObject({ seq: 10, status_since: 5000, outage: null });
  });

  it("ends an outage that D1 believes to be open", () => {
    const known = { ...at("up", 9), projected: row("down", 5), recorded: last("down", 5, OUTAGE), outbox: [] };
    const { outbox } = reconcileState(known, NOW);
    expect(short(outbox)).toEqual([
      [9, "down", "unknown", 800, null],
      [10, "unknown", "up", 900, "monitor.up"],
    ]);
    expect(outbox[1]?.outage).toEqual(OUTAGE);
  });

  it("does not announce again an outage that was announced in the lost time", () => {
    const known = { ...at("down", 9), projected: row("up", 4), recorded: last("up", 4), outbox: [] };
    const told = { seq: 9, started_at: 900 };
    const { state: next, outbox } = reconcileState({ ...known, state: state("down", 9, 900, told) }, NOW);
    expect(outbox.map(({ event }) => event)).toEqual([null, null]);
    expect(next.outage).toEqual(told);
  });

  it("still sends what was on its way", () => {
    const known = { ...at("down", 9), projected: row("up", 4), recorded: last("up", 4), outbox: [waiting(9)] };
    expect(short(reconcileState(known, NOW).outbox)).toEqual([
      [8, "up", "unknown", 800, null],
      [9, "up", "down", 900, null],
    ]);
  });
});

it("leaves intervals without overlap and a sequence above both, after any restore", () => {
  const status = fc.constantFrom("up", "down", "degraded", "unknown", "paused" as const);
  const side = fc.record({ status, seq: fc.nat(20), since: fc.nat(NOW) });
  const property = fc.property(side, side, fc.boolean(), fc.nat(NOW), (own, stored, isLost, known_until) => {
    const projected = row(stored.status, stored.seq, stored.since);
    const recorded = stored.seq === 0 ? null : { ...last(stored.status, stored.seq), effective_at: stored.since };
    const known = { state: isLost ? null : state(own.status, own.seq, own.since), outbox: [], projected, recorded };
    const { state: next, outbox } = reconcileState({ ...known, known_until }, NOW);
    expect(next.seq).toBeGreaterThanOrEqual(Math.max(isLost ? 0 : own.seq, stored.seq));
    const times = [recorded?.effective_at ?? 0, ...outbox.map((each) => each.effective_at)];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const seqs = [recorded?.seq ?? 0, ...outbox.map(({ seq }) => seq)];
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(outbox.at(-1)?.to ?? recorded?.to ?? firstState(projected).status).toBe(next.status);
    if (outbox.length > 0) expect(outbox.at(-1)?.seq).toBe(next.seq);
  });
  fc.assert(property, { numRuns: 2000 });
});
