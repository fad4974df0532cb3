import type { DashboardBrowserMessages } from "../../language/dashboard-browser/messages.ts";
import { speak, type Tree } from "../../language/message.ts";

/** Messages of a group, compiled; words() makes their texts. */
interface Compiled<Texts> {
  readonly texts: (made: never) => Texts;
}

declare global {
  /** By group; scripts/dashboard.ts, which bundles the scripts for each language, puts those in that a script names. */
  const MESSAGES: { readonly [Group in keyof DashboardBrowserMessages]: Compiled<DashboardBrowserMessages[Group]> };
  /** By which dates and numbers are written. */
  const LOCALE: string;
}

/** The texts of a group, in the language that the script is bundled for. */
export function words<Texts>(messages: Compiled<Texts>): Texts {
  // What is put in is what the catalogue was compiled to.
  return speak<Texts>(messages as unknown as Tree, LOCALE);
}

/** The parts of a message, to be put into an element. */
export function toNodes(parts: readonly (Node | string | number)[]): (Node | string)[] {
  return parts.map((part) => (typeof part === "number" ? String(part) : part));
}
