import { type Db, openDb } from "../data/db.ts";
import { now } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { createLogger, type Logger } from "../platform/logger.ts";
import { type Settings, settingsOf } from "../platform/settings.ts";
import type { RequestScope } from "./request-scope.ts";

/** What work needs that nobody asked for in person: a queue message, the minute's tick, a check. */
export interface Scope {
  env: Env;
  settings: Settings;
  db: Db;
  log: Logger;
  now(): number;
}

export function scopeOf(ctx: RequestScope): Scope {
  return { env: ctx.env, settings: ctx.settings, db: ctx.db, log: ctx.log, now };
}

export function jobScope(env: Env, job: string): Scope {
  const settings = settingsOf(env);
  return { env, settings, db: openDb(env.DB), log: createLogger(settings, { job }), now };
}
