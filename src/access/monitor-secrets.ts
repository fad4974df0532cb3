import { forbidden } from "../contract/errors.ts";
import { JourneyStep } from "../contract/journey.ts";
import { MonitorSecrets, SECRET_PLACEHOLDER } from "../contract/monitor.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { listSecretsByName } from "../data/secrets/read.ts";
import { hasPermission } from "../domain/roles.ts";
import { maskHeaders, maskSteps, maskTarget } from "../domain/secret-masks.ts";
import { seal, unseal } from "../platform/seal.ts";
import type { Settings } from "../platform/settings.ts";
import { maskedVersions } from "./masked-versions.ts";
import { findMembership } from "./pages.ts";
import type { RequestScope, Scope } from "./scope.ts";

/** The target and the fields of a monitor as its probe needs them; without secrets the fields are the record's own. */
export async function openSecrets(settings: Settings, record: MonitorRecord) {
  if (record.sealed === null) return { target: record.target ?? "", fields: record.options };
  const { target, ...fields } = await unsealSecrets(settings, record);
  return { target: target ?? record.target ?? "", fields: { ...record.options, ...fields } };
}

export async function unsealSecrets(
  settings: Settings,
  record: Pick<MonitorRecord, "id" | "sealed">,
): Promise<MonitorSecrets> {
  if (record.sealed === null) return {};
  return MonitorSecrets.parse(await unseal(settings.ROOT_SECRET, record.id, record.sealed));
}

/**
 * The columns in which a target and the fields of a type are stored: secrets in `sealed`, everything else in clear.
 * Unchanged secrets keep their sealed form, so that a comparison detects changes.
 */
export async function sealSecrets(
  settings: Settings,
  monitor: { id: string; target: string | null; options: Record<string, unknown> },
  current: Pick<MonitorRecord, "id" | "sealed"> | null,
): Promise<Pick<MonitorRecord, "target" | "options" | "sealed">> {
  const { http_headers, http_body, steps, ...options } = monitor.options;
  const target = monitor.target === null ? null : maskTarget(monitor.target);
  const secrets: MonitorSecrets = {};
  if (monitor.target !== null && target !== monitor.target) secrets.target = monitor.target;
  if (typeof http_headers === "string") secrets.http_headers = http_headers;
  if (typeof http_body === "string" && http_body !== "") secrets.http_body = http_body;
  if (Array.isArray(steps) && steps.length > 0) secrets.steps = JourneyStep.array().parse(steps);
  if (Object.keys(secrets).length === 0) return { target, options, sealed: null };
  const known = current === null ? {} : await unsealSecrets(settings, current);
  const kept = isSame(known, secrets) ? (current?.sealed ?? null) : null;
  return { target, options, sealed: kept ?? (await seal(settings.ROOT_SECRET, monitor.id, secrets)) };
}

function isSame(a: MonitorSecrets, b: MonitorSecrets): boolean {
  const isAlike = a.target === b.target && a.http_headers === b.http_headers && a.http_body === b.http_body;
  return isAlike && JSON.stringify(a.steps) === JSON.stringify(b.steps);
}

type Values = Readonly<Record<string, string>>;

/**
 * The values of the secrets that journeys name, by monitor: one query for all of them, and none where no monitor names any.
 * What does not exist, or cannot be decrypted, is left out.
 */
export async function loadNamedSecrets(
  { db, settings, log }: Pick<Scope, "db" | "settings" | "log">,
  monitors: readonly Pick<MonitorRecord, "id" | "owner_id" | "secret_names">[],
): Promise<ReadonlyMap<string, Values>> {
  const wanted = monitors.flatMap(({ owner_id, secret_names }) => secret_names.map((name) => ({ owner_id, name })));
  if (wanted.length === 0) return new Map();
  const stored = await listSecretsByName(db, wanted);
  const opened = await Promise.all(
    stored.map(async ({ id, owner_id, name, sealed }) => {
      try {
        return { owner_id, name, value: String(await unseal(settings.ROOT_SECRET, id, sealed)) };
      } catch (error) {
        log.error("secret", error, { secret_id: id });
        return null;
      }
    }),
  );
  return new Map(
    monitors.map(({ id, owner_id, secret_names }) => {
      const own = opened.filter((each) => each?.owner_id === owner_id && secret_names.includes(each.name));
      return [id, Object.fromEntries(own.flatMap((each) => (each ? [[each.name, each.value]] : [])))];
    }),
  );
}

type SealedMonitor = Pick<MonitorRecord, "id" | "owner_id" | "status_page_id" | "target" | "sealed">;

/** The target and the secret fields as this caller may see them. */
export async function showSecrets(ctx: RequestScope, record: SealedMonitor) {
  const { target, ...fields } = await unsealSecrets(ctx.settings, record);
  if (await maySeeSecrets(ctx, record)) return { target: target ?? record.target, fields };
  const { http_headers, http_body, steps } = fields;
  return {
    target: record.target,
    fields: {
      ...(http_headers === undefined ? {} : { http_headers: maskHeaders(http_headers) }),
      ...(http_body === undefined ? {} : { http_body: SECRET_PLACEHOLDER }),
      ...(steps === undefined ? {} : { steps: maskSteps(steps) }),
    },
  };
}

/** Of the fields that this caller sees masked, so that a form finds that another person replaced one. */
export async function listMaskedVersions(ctx: RequestScope, record: SealedMonitor): Promise<Record<string, string>> {
  if (await maySeeSecrets(ctx, record)) return {};
  return maskedVersions(ctx.settings, record.id, await unsealSecrets(ctx.settings, record));
}

/** Whether the caller may read the secrets of a monitor that the caller sees. */
export async function maySeeSecrets(
  ctx: RequestScope,
  monitor: Pick<MonitorRecord, "owner_id" | "status_page_id">,
): Promise<boolean> {
  const membership = await findMembership(ctx, monitor);
  return membership !== undefined && hasPermission(membership, "secrets.read");
}

/**
 * For each write that changes where, how or for whom a monitor sends its secrets, or copies them: else a caller who may
 * not read them could have them sent to a place of their own. Monitors without sealed values need nothing.
 */
export async function requireSecretsRead(
  ctx: RequestScope,
  monitor: Pick<MonitorRecord, "owner_id" | "status_page_id" | "sealed">,
  what: string,
): Promise<void> {
  if (monitor.sealed === null || (await maySeeSecrets(ctx, monitor))) return;
  throw forbidden(`${what} of a monitor with secret settings needs secrets.read`);
}
