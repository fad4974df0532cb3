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

/** Epoch milliseconds of the service: this host's clock, corrected by what the service said at the last handshake. */
export interface Clock {
  now(): number;
  /** `serverTime` was read between `sentAt` and `receivedAt` of this host's clock. */
  correct(times: { serverTime: number; sentAt: number; receivedAt: number }): number;
}

/** Choice: a difference of less than a second is the network's; correcting it would only make times jump. */
const TOLERANCE_MS = 1000;

export function createClock(hostNow: () => number = Date.now): Clock {
  let offset = 0;
  return {
    now: () => hostNow() + offset,
    correct({ serverTime, sentAt, receivedAt }) {
      const difference = serverTime - (sentAt + receivedAt) / 2;
      offset = Math.abs(difference) < TOLERANCE_MS ? 0 : Math.round(difference);
      return offset;
    },
  };
}
