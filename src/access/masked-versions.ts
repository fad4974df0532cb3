import { prove } from "../platform/root-keys.ts";
import type { Settings } from "../platform/settings.ts";

const VERSION_LENGTH = 10;

/** Of each secret that a thing shows as `***`: another text once another one is stored, which says nothing about it. */
export function maskedVersions(
  settings: Settings,
  rowId: string,
  secrets: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const version = (name: string, secret: unknown) => {
    const text = JSON.stringify([rowId, name, secret]);
    return prove(settings.ROOT_SECRET, { purpose: "masked version", text, length: VERSION_LENGTH });
  };
  return Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, version(name, secret)]));
}
