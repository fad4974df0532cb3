/** Waits; ends early, without an error, when the signal fires. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/**
 * Epoch milliseconds of the service. It starts with this host's clock and follows what the service said last; between two
 * such moments it counts by the time since the host was started, which nobody can set.
 */
export interface Clock {
  now(): number;
  /** What the clock of this host has to be corrected by. */
  offset(): number;
  /** Whether the clock of this host was set, or the host slept, since the service last said the time. */
  hasJumped(): boolean;
  /** The service read `serverTime` during a call that took so long and ends now. The answer is the new offset. */
  correct(told: { serverTime: number; tookMs: number }): number;
}

/** Choice: beside half of the time that the call took, as much may be the way of measuring; it is not worth a jump. */
const TOLERANCE_MS = 100;
/** Choice: time servers move a clock by less, little by little. */
const JUMP_MS = 1000;

interface HostTime {
  wall(): number;
  /** Milliseconds since some moment, never set. */
  steady(): number;
}

const HOST: HostTime = { wall: () => Date.now(), steady: () => performance.now() };

export function createClock({ wall, steady }: HostTime = HOST): Clock {
  // The epoch at which the steady time would have been 0, by this host's clock and by the service's.
  let host = wall() - steady();
  let service = host;
  const now = () => Math.round(steady() + service);
  return {
    now,
    offset: () => now() - wall(),
    hasJumped: () => Math.abs(wall() - steady() - host) > JUMP_MS,
    correct({ serverTime, tookMs }) {
      const difference = serverTime + tookMs / 2 - wall();
      const isWithin = Math.abs(difference) <= TOLERANCE_MS + tookMs / 2;
      const offset = isWithin ? 0 : Math.round(difference);
      host = wall() - steady();
      service = host + offset;
      return offset;
    },
  };
}
