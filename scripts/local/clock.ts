const MINUTE = 60_000;

/**
 * Plays the platform's cron: calls `tick` at once, so that a service that was off catches up, and then at each full minute,
 * always with the minute it stands for. A tick that takes long does not hold up the next one.
 */
export function startClock(tick: (scheduledTime: Date) => Promise<void>): Disposable {
  let timer: NodeJS.Timeout;
  const run = (minute: number) => {
    tick(new Date(minute)).catch((error) => console.error("cron failed:", error));
    const next = minute + MINUTE;
    // Timers may fire a little early, and late after the machine slept: never the same minute twice, never a minute of the past.
    timer = setTimeout(() => run(Math.max(next, floorToMinute(Date.now()))), next - Date.now());
  };
  run(floorToMinute(Date.now()));
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

function floorToMinute(time: number): number {
  return Math.floor(time / MINUTE) * MINUTE;
}
