import { forbidden } from "../contract/errors.ts";
import { MonitorSecrets, SECRET_PLACEHOLDER } from "../contract/monitor.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { hasPermission } from "../domain/roles.ts";
import { maskHeaders, maskTarget } from "../domain/secret-masks.ts";
import { seal, unseal } from "../platform/seal.ts";
import type { Settings } from "../platform/settings.ts";
import { findMembership } from "./pages.ts";
import type { RequestScope } from "./scope.ts";

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
  const { http_headers, http_body, ...options } = monitor.options;
  const target = monitor.target === null ? null : maskTarget(monitor.target);
  const secrets: MonitorSecrets = {};
  if (monitor.target !== null && target !== monitor.target) secrets.target = monitor.target;
  if (typeof http_headers === "string") secrets.http_headers = http_headers;
  if (typeof http_body === "string" && http_body !== "") secrets.http_body = http_body;
  if (Object.keys(secrets).length === 0) return { target, options, sealed: null };
  const known = current === null ? {} : await unsealSecrets(settings, current);
  const kept = isSame(known, secrets) ? (current?.sealed ?? null) : null;
  return { target, options, sealed: kept ?? (await seal(settings.ROOT_SECRET, monitor.id, secrets)) };
}

function isSame(a: MonitorSecrets, b: MonitorSecrets): boolean {
  return a.target === b.target && a.http_headers === b.http_headers && a.http_body === b.http_body;
}

type SealedMonitor = Pick<MonitorRecord, "id" | "owner_id" | "status_page_id" | "target" | "sealed">;

/** The target and the secret fields as this caller may see them. */
export async function showSecrets(ctx: RequestScope, record: SealedMonitor) {
  const { target, ...fields } = await unsealSecrets(ctx.settings, record);
  if (await maySeeSecrets(ctx, record)) return { target: target ?? record.target, fields };
  const { http_headers, http_body } = fields;
  return {
    target: record.target,
    fields: {
      ...(http_headers === undefined ? {} : { http_headers: maskHeaders(http_headers) }),
      ...(http_body === undefined ? {} : { http_body: SECRET_PLACEHOLDER }),
    },
  };
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
 * For whatever changes where, how or for whom a monitor sends its secrets, or copies them: else a caller who may not read
 * them could have them sent to a place of their own. Monitors without sealed values need nothing.
 */
export async function requireSecretsRead(
  ctx: RequestScope,
  monitor: Pick<MonitorRecord, "owner_id" | "status_page_id" | "sealed">,
  what: string,
): Promise<void> {
  if (monitor.sealed === null || (await maySeeSecrets(ctx, monitor))) return;
  throw forbidden(`${what} of a monitor with secret settings needs secrets.read`);
}
