import type { Restored } from "../contract/witness-object.ts";
import { MINUTE_MS } from "../lib/durations.ts";

/**
 * D1 and the objects are backed up and lost apart from each other. An epoch is a time in which neither went back. Each
 * minute the witness object and D1 store the same tick, so each shows whether the other one still knows it.
 */
export interface Tick {
  epoch: string;
  /** Grows by one with every tick, regardless of the clock. */
  ticks: number;
}

export interface Epoch extends Tick {
  ticked_at: number;
  /** Until when D1 knew what happened before the epoch began. */
  known_until: number;
}

/** Stands in a restored database in the place of its epoch: when the backup was restored. */
const RESTORED = /^restored (\d+)$/;

export function restoredEpoch(at: number): string {
  return `restored ${at}`;
}

/**
 * The epoch after this tick: the same one where D1 has at least the tick that the witness stored last, else `fresh`. D1 is
 * ahead where the call died between the two.
 */
export function decideEpoch(
  witness: Tick | null,
  stored: Epoch | null,
  { now, fresh }: { now: number; fresh: string },
): { next: Epoch; isNew: boolean; restored: Restored | null } {
  const isSame = witness !== null && witness.epoch === stored?.epoch && stored.ticks >= witness.ticks;
  const tick = { ticks: Math.max(witness?.ticks ?? 0, stored?.ticks ?? 0) + 1, ticked_at: now };
  const next: Epoch =
    isSame && stored ? { ...stored, ...tick } : { ...tick, epoch: fresh, known_until: stored?.ticked_at ?? now };
  const sent_before = stored && !isSame ? findSentBefore(witness, stored, now) : null;
  const restored = sent_before === null ? null : { sent_before, known_until: next.known_until };
  return { next, isNew: !isSame, restored };
}

/** Without a mark, D1 was restored to an instant after its last tick and up to a minute before this one. */
function findSentBefore(witness: Tick | null, stored: Epoch, now: number): number | null {
  const [, restoredAt] = RESTORED.exec(stored.epoch) ?? [];
  if (restoredAt !== undefined) return Number(restoredAt);
  return witness && Math.min(stored.ticked_at + MINUTE_MS, now - MINUTE_MS);
}
