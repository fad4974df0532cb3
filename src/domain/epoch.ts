/**
 * D1 and the objects are backed up and lost apart from each other. An epoch is a time in which neither went back. Each
 * minute the witness object and D1 store the same tick, so each shows whether the other one still knows it.
 */
export interface Tick {
  epoch: string;
  /** Grows by one with every tick, whatever the clock does. */
  ticks: number;
}

export interface Epoch extends Tick {
  ticked_at: number;
  /** Until when D1 knew what happened before the epoch began. */
  known_until: number;
}

/**
 * The epoch after this tick: the same one where D1 has at least the tick that the witness stored last, else `fresh`. D1 is
 * ahead where the call died between the two.
 */
export function decideEpoch(
  witness: Tick | null,
  stored: Epoch | null,
  { now, fresh }: { now: number; fresh: string },
) {
  const isSame = witness !== null && witness.epoch === stored?.epoch && stored.ticks >= witness.ticks;
  const tick = { ticks: Math.max(witness?.ticks ?? 0, stored?.ticks ?? 0) + 1, ticked_at: now };
  const next: Epoch =
    isSame && stored ? { ...stored, ...tick } : { ...tick, epoch: fresh, known_until: stored?.ticked_at ?? now };
  return { next, isNew: !isSame };
}
