import { REGISTRY_SUFFIXES } from "./registry-suffixes.ts";

/**
 * The names under which everybody can register, by label from the right: `uk(ac co(me))` makes suffixes of uk, ac.uk, co.uk and
 * me.co.uk. A label with `!` is none itself, one with `^` is taken out of its parent's `*`. See https://publicsuffix.org/list.
 */
export interface Suffixes {
  kind: "suffix" | "inner" | "exception";
  below: Map<string, Suffixes>;
}

let ofRegistries: Suffixes | undefined;

/** The name that a host's owner registered: example.co.uk for www.example.co.uk; null for a suffix and for an address. */
export function registeredName(host: string): string | null {
  const name = host.replace(/\.$/, "");
  if (!/^(?!\d+(\.\d+){3}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/.test(name)) return null;
  ofRegistries ??= parseSuffixes(REGISTRY_SUFFIXES);
  const labels = name.split(".");
  const count = countSuffixLabels(ofRegistries, labels);
  return count < labels.length ? labels.slice(-count - 1).join(".") : null;
}

export function isSuffix(suffixes: Suffixes, host: string): boolean {
  const labels = host.split(".");
  return countSuffixLabels(suffixes, labels) === labels.length;
}

export function parseSuffixes(text: string): Suffixes {
  const root: Suffixes = { kind: "inner", below: new Map() };
  const path = [root];
  let last = root;
  for (const [token, label, mark] of text.matchAll(/[()]|([^()!^ ]+)([!^]?)/g)) {
    if (token === "(") path.push(last);
    else if (token === ")") path.pop();
    else if (label !== undefined) {
      last = { kind: mark === "!" ? "inner" : mark === "^" ? "exception" : "suffix", below: new Map() };
      path.at(-1)?.below.set(label, last);
    }
  }
  return root;
}

/** The last label is a suffix in any case. */
function countSuffixLabels(suffixes: Suffixes, labels: readonly string[]): number {
  let [count, at] = [1, suffixes];
  for (let n = 1; n <= labels.length; n++) {
    const next = at.below.get(labels.at(-n) ?? "") ?? at.below.get("*");
    if (!next) break;
    if (next.kind === "exception") return n - 1;
    if (next.kind === "suffix") count = n;
    at = next;
  }
  return count;
}
