import { type Db, openDb } from "../data/db.ts";
import type { Permission } from "../domain/roles.ts";
import type { Env } from "../platform/env.ts";
import type { Logger } from "../platform/logger.ts";
import type { Settings } from "../platform/settings.ts";
import type { Idempotency } from "./idempotency.ts";
import type { Principal } from "./principal.ts";

/** Everything a verb may use, built once per request or message. */
export interface RequestScope {
  readonly env: Env;
  readonly settings: Settings;
  readonly db: Db;
  readonly log: Logger;
  /** When the request or message arrived; one instant for all that it writes. */
  readonly now: number;
  readonly principal: Principal;
  /** The right that this endpoint asks of whoever touches an object of a page. */
  readonly permission: Permission;
  /** Names the audit row of a successful write, e.g. `monitor.created`; null for reads. */
  readonly auditEvent: string | null;
  readonly ip: string | null;
  /** The address under which people reach this service, without a trailing slash. */
  readonly publicUrl: string;
  /** What this request has loaded and authorised already, so that no row is read twice. */
  readonly loaded: Map<string, Promise<unknown>>;
  /** Present when the request carries an Idempotency-Key. */
  readonly idempotency: Idempotency | null;
  /** Work that may outlive the answer. */
  defer(work: Promise<unknown>): void;
}

export type CtxParts = Omit<RequestScope, "db" | "loaded">;

export function createCtx(parts: CtxParts): RequestScope {
  return { ...parts, db: openDb(parts.env.DB), loaded: new Map() };
}
