import { parseHttpHeaders } from "../contract/http-check.ts";
import { MonitorSecrets, SECRET_PLACEHOLDER } from "../contract/monitor.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { hasPermission } from "../domain/roles.ts";
import type { Parsed } from "../lib/parse-result.ts";
import { seal, unseal } from "../platform/seal.ts";
import type { Settings } from "../platform/settings.ts";
import { findMembership } from "./pages.ts";
import type { RequestScope } from "./scope.ts";

/** The target and the fields of a monitor as its probe needs them. */
export async function openSecrets(settings: Settings, record: MonitorRecord) {
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
  const { http_headers, ...options } = monitor.options;
  const target = monitor.target === null ? null : maskTarget(monitor.target);
  const secrets: MonitorSecrets = {};
  if (monitor.target !== null && target !== monitor.target) secrets.target = monitor.target;
  if (typeof http_headers === "string") secrets.http_headers = http_headers;
  if (Object.keys(secrets).length === 0) return { target, options, sealed: null };
  const known = current === null ? {} : await unsealSecrets(settings, current);
  const isSame = known.target === secrets.target && known.http_headers === secrets.http_headers;
  const kept = isSame ? (current?.sealed ?? null) : null;
  return { target, options, sealed: kept ?? (await seal(settings.ROOT_SECRET, monitor.id, secrets)) };
}

/** Whether the caller may read the secrets of a monitor that the caller sees. */
export async function maySeeSecrets(ctx: RequestScope, monitor: MonitorRecord): Promise<boolean> {
  const membership = await findMembership(ctx, monitor);
  return membership !== undefined && hasPermission(membership, "secrets.read");
}

/** A password inside the authority of an address, with or without a scheme in front. */
const PASSWORD = /^((?:[a-z][a-z0-9+.-]*:\/\/)?[^\s/?#@:]*:)([^\s/?#]+)@/i;

export function maskTarget(target: string): string {
  return target.replace(PASSWORD, `$1${SECRET_PLACEHOLDER}@`);
}

/** Headers for callers without secrets.read: names only. */
export function maskHeaders(text: string): string {
  const headers = parseHttpHeaders(text);
  const names = headers.ok ? Object.keys(headers.value) : [];
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, SECRET_PLACEHOLDER])));
}

/** The target with its stored password in the place of `***`; a password never follows to another host. */
export function restoreTarget(given: string, stored: string | undefined): Parsed<string> {
  const password = PASSWORD.exec(given)?.[2];
  if (password !== SECRET_PLACEHOLDER) return { ok: true, value: given };
  if (stored === undefined || authorityOf(maskTarget(stored)) !== authorityOf(given)) {
    return { ok: false, reason: "needs its password again, because its host or user changed" };
  }
  const kept = PASSWORD.exec(stored)?.[2] ?? "";
  return { ok: true, value: given.replace(PASSWORD, (_match, before: string) => `${before}${kept}@`) };
}

function authorityOf(target: string): string {
  return target.replace(/^([a-z][a-z0-9+.-]*:\/\/)/i, "").split(/[/?#]/)[0] ?? "";
}

/** The headers with stored values in the place of `***`. What is not well-formed is left to the schema. */
export function restoreHeaders(given: string, stored: string | undefined): Parsed<string> {
  if (given.trim() === SECRET_PLACEHOLDER && stored !== undefined) return { ok: true, value: stored };
  const headers = parseHttpHeaders(given);
  if (!headers.ok || !Object.values(headers.value).includes(SECRET_PLACEHOLDER)) return { ok: true, value: given };
  const known = parseHttpHeaders(stored ?? "");
  const values = new Map(
    Object.entries(known.ok ? known.value : {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const restored: [string, string][] = [];
  for (const [name, value] of Object.entries(headers.value)) {
    const kept = value === SECRET_PLACEHOLDER ? values.get(name.toLowerCase()) : value;
    if (kept === undefined) return { ok: false, reason: `has no stored value for ${name}` };
    restored.push([name, kept]);
  }
  return { ok: true, value: JSON.stringify(Object.fromEntries(restored)) };
}
