import { type Db, onHappened, onPagesChanged, openDb, shareWrites } from "../data/db.ts";
import type { Permission } from "../domain/roles.ts";
import type { ClientNetwork } from "../platform/client-address.ts";
import { now } from "../platform/clock.ts";
import { isUnavailable } from "../platform/d1-errors.ts";
import type { Env } from "../platform/env.ts";
import { createLogger, type Logger } from "../platform/logger.ts";
import { announcePages, tellFollowers } from "../platform/page-objects.ts";
import { type Settings, settingsOf } from "../platform/settings.ts";
import { shareReads } from "../platform/shared-reads.ts";
import type { Principal } from "./principal.ts";

/** What all work needs, built once per request, queue message or cron tick. */
export interface Scope {
  readonly env: Env;
  readonly settings: Settings;
  readonly db: Db;
  readonly log: Logger;
  /** When the work began: one instant for everything it writes. What measures or waits reads platform/clock.ts. */
  readonly now: number;
}

/** A request whose caller is not known yet. */
export interface CallScope extends Scope {
  /** The client's address, when the platform names one. */
  readonly ip: string | null;
  /** Where the client is supposed to be, when the platform says so. */
  readonly place: string | null;
  /** The network that the client is supposed to be in, when the platform says so. */
  readonly network: ClientNetwork | null;
  /** As the client names itself, at most 200 characters. */
  readonly userAgent: string | null;
  /** By which a browser shows that an account signed in with it before. */
  readonly browserToken: string | null;
  /** By which a browser shows that it asked for the challenge that a passkey signed. */
  readonly challengeToken: string | null;
  /** Where the request came in, and the page that a browser says it comes from. */
  readonly asked: { readonly url: string; readonly origin: string | null };
  /** The address under which people reach this service, without a trailing slash. */
  readonly publicUrl: string;
  /** Work that may outlive the answer. */
  defer(work: Promise<unknown>): void;
}

/** An authenticated request to one endpoint. */
export interface RequestScope extends CallScope {
  readonly principal: Principal;
  /** The permission that this endpoint requires on every object of a page. */
  readonly permission: Permission;
  /** Names the audit row of a successful write, e.g. `monitor.created`; null for reads. */
  readonly auditEvent: string | null;
  /** What this request has loaded and authorised already, so that no row is read twice. */
  readonly loaded: Map<string, Promise<unknown>>;
  /** Size of the body; 0 without one. */
  readonly bodyBytes: number;
  /** Present when the request carries an Idempotency-Key. */
  readonly idempotency: Idempotency | null;
}

/** A request that may be repeated: who sent it, where, under which key, and hashes of its body. */
export interface Idempotency {
  user_id: string;
  route: string;
  key: string;
  /** Under each root key. The first one is stored; requests before a change of the key stored one of the others. */
  body_hashes: [string, ...string[]];
  /** The status of the first response, once it has created something. */
  status: number;
  /** What an earlier request with this key made, once that was looked up. */
  resource_id: string | null;
}

export function openScope({
  database,
  ...parts
}: Omit<Scope, "db"> & { /** Where it is not the binding itself. */ database?: D1Database }): Scope {
  const db = openDb(database ?? parts.env.DB);
  onPagesChanged(db, (pageIds) => announcePages(parts.env, pageIds));
  onHappened(db, (places) => tellFollowers(parts.env, places));
  return { ...parts, db };
}

/** A request that nobody sent: what the service does by itself through the verbs of requests. */
export function systemScope(scope: Scope): RequestScope {
  const { PUBLIC_URL } = scope.settings;
  return {
    ...scope,
    ip: null,
    place: null,
    network: null,
    userAgent: null,
    browserToken: null,
    challengeToken: null,
    asked: { url: PUBLIC_URL, origin: null },
    publicUrl: PUBLIC_URL,
    principal: { kind: "system" },
    permission: "page.read",
    auditEvent: null,
    loaded: new Map(),
    bodyBytes: 0,
    idempotency: null,
    // What would leave after an answer is found by the sweep that looks for it.
    defer: (work) => void work.catch((error: unknown) => scope.log.error("deferred work failed", error)),
  };
}

/** The same scope for messages that are handled at the same time: what they read and what they commit travels together. */
export function shareScope(scope: Scope, database = scope.env.DB): Scope {
  const shared = openScope({ ...scope, database: shareReads(database) });
  shareWrites(shared.db, isUnavailable);
  return shared;
}

/** `at` is the scheduled time of a cron tick; otherwise the work begins now. */
export function jobScope(env: Env, job: string, at = now()): Scope {
  const settings = settingsOf(env);
  return openScope({ env, settings, log: createLogger(settings, { job }), now: at });
}
