import { PUSH_ALIAS_LENGTH_MIN } from "../contract/push.ts";
import type { Manifest } from "./manifest.ts";

/** What another tool's settings became, and what of them has no place here. */
export interface Imported {
  manifest: Pick<Manifest, "version" | "status_pages" | "groups" | "monitors" | "webhooks">;
  left: { subject: string; reason: string }[];
}

export type ImportedMonitor = Manifest["monitors"][string];

/** Interval and thresholds within what the service accepts; what had to change is said. */
export function within(value: number, [min, max]: [number, number], changed: (to: number) => void): number {
  const fitting = Math.min(max, Math.max(min, Math.round(value)));
  if (fitting !== value) changed(fitting);
  return fitting;
}

/** The credential of a sender, which goes on with it unless others could guess it. */
export function pushTokenOf(
  token: string | null,
  remark: (reason: string) => void,
): Pick<ImportedMonitor, "push_token"> {
  if (!token) return {};
  if (token.length >= PUSH_ALIAS_LENGTH_MIN) return { push_token: token };
  remark(`its push token is shorter than ${PUSH_ALIAS_LENGTH_MIN} characters: give its senders their new address`);
  return {};
}

/** A second thing of the same name gets a number. */
export function freeKey(taken: object, wanted: string): string {
  let key = wanted;
  for (let n = 2; Object.hasOwn(taken, key); n++) key = `${wanted}-${n}`;
  return key;
}

/** A text that other tools compare with a value of a JSON body. */
export function scalarOf(text: string): string | number | boolean {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text === "true" || text === "false" ? text === "true" : text;
}
