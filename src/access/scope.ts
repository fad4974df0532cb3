import { type Db, openDb } from "../data/db.ts";
import { now } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { createLogger, type Logger } from "../platform/logger.ts";
import { type Settings, settingsOf } from "../platform/settings.ts";
import type { Ctx } from "./request-scope.ts";

/** What work needs that nobody asked for in person: a queue message, the minute's tick, a check. */
export interface Deps {
  env: Env;
  settings: Settings;
  db: Db;
  log: Logger;
  now(): number;
}

export function depsOf(ctx: Ctx): Deps {
  return { env: ctx.env, settings: ctx.settings, db: ctx.db, log: ctx.log, now };
}

export function jobDeps(env: Env, job: string): Deps {
  const settings = settingsOf(env);
  return { env, settings, db: openDb(env.DB), log: createLogger(settings, { job }), now };
}
