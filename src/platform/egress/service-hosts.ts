import { isSuffix, type Suffixes } from "../../lib/public-suffixes.ts";
import type { Settings } from "../settings.ts";
import { addressOf } from "./address.ts";

/** Suffixes of names that no visitor from outside can use: RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`. */
const PRIVATE_SUFFIXES = ["localhost", "local", "internal", "home.arpa", "test", "lan"];
const WORKERS_SUFFIX = ".workers.dev";

/** The service certainly answers under these names, without a query. */
export function isServiceHost(settings: Pick<Settings, "PUBLIC_URL">, host: string): boolean {
  return host === ownHost(settings) || host === "localhost" || addressOf(host) !== null;
}

/**
 * Names without a claim: the service answers under those that only an operator can have given it. All others get
 * nothing, so that no stranger's name can be made to look like this service.
 */
export function mayBeOwnHost(host: string): boolean {
  return !host.includes(".") || host.endsWith(WORKERS_SUFFIX) || isUnder(host, PRIVATE_SUFFIXES);
}

/** Why a name cannot be claimed, or null. */
export function findHostnameConflict(
  settings: Pick<Settings, "PUBLIC_URL" | "CUSTOM_DOMAIN_TARGET">,
  host: string,
  suffixes: Suffixes,
): string | null {
  const own = [ownHost(settings), settings.CUSTOM_DOMAIN_TARGET].filter((name) => name !== "");
  if (isUnder(host, own)) return "belongs to this service";
  if (host.endsWith(WORKERS_SUFFIX)) return "belongs to the platform";
  return isSuffix(suffixes, host) ? "is a public suffix, under which everybody registers" : null;
}

/** Where the names of pages have to lead; empty where the operator has not said under which name the service is reached. */
export function targetOfDomains(settings: Pick<Settings, "PUBLIC_URL" | "CUSTOM_DOMAIN_TARGET">): string {
  return settings.CUSTOM_DOMAIN_TARGET || ownHost(settings);
}

function ownHost({ PUBLIC_URL }: Pick<Settings, "PUBLIC_URL">): string {
  return URL.canParse(PUBLIC_URL) ? new URL(PUBLIC_URL).hostname : "";
}

function isUnder(host: string, suffixes: readonly string[]): boolean {
  return suffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}
