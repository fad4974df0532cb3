import { Cron } from "croner";

/** A cron schedule in a time zone, as probes/heartbeat.ts accepts it. */
export interface CronSchedule {
  schedule: string;
  timezone: string;
}

/** The first time of the schedule after an instant; null where none is left. */
export function nextTime({ schedule, timezone }: CronSchedule, after: number): number | null {
  const next = new Cron(schedule, { mode: "5-part", timezone }).nextRun(new Date(after));
  return next?.getTime() ?? null;
}

/** So many times of the schedule after an instant; fewer when it ends. */
export function nextTimes(schedule: CronSchedule, after: number, count: number): number[] {
  const next = count === 0 ? null : nextTime(schedule, after);
  return next === null ? [] : [next, ...nextTimes(schedule, next, count - 1)];
}
