import { createRequire } from "node:module";

/** The public suffix list (https://publicsuffix.org, MPL 2.0) as the package tldts carries it. */
interface Trie {
  nodeFlags: Uint8Array;
  edgeStart: Uint16Array;
  edgeLength: Uint8Array;
  edgeChild: Uint16Array;
  labelText: string;
  rulesRoot: number;
  exceptionsRoot: number;
}

/** Suffixes of registries, and of companies that let others register below their own names. */
export const REGISTRIES = 1;
const COMPANIES = 2;
export const EVERYBODY = REGISTRIES | COMPANIES;

/**
 * The list in the form that src/lib/public-suffixes.ts reads. Names in other letters than ASCII are left out: the list has
 * them encoded too, and so do URLs. A name of one label is a suffix without being listed.
 */
export function formatSuffixes(kinds: number): string {
  const trie: Trie = createRequire(import.meta.url)("tldts/dist/cjs/src/data/trie.js");
  const offsets: number[] = [];
  trie.edgeLength.reduce((offset, length, edge) => {
    offsets[edge] = offset;
    return offset + length;
  }, 0);
  const below = (node: number): Map<string, number> => {
    const [from = 0, to = 0] = trie.edgeStart.subarray(node, node + 2);
    const edges = Array.from({ length: to - from }, (_, n) => from + n);
    return new Map(
      edges.map((edge) => {
        const offset = offsets[edge] ?? 0;
        return [trie.labelText.slice(offset, offset + (trie.edgeLength[edge] ?? 0)), trie.edgeChild[edge] ?? 0];
      }),
    );
  };
  const format = (rules: number, exceptions: number | undefined, isTop: boolean): string => {
    const [named, exempt] = [below(rules), exceptions === undefined ? new Map<string, number>() : below(exceptions)];
    const labels = [...new Set([...named.keys(), ...exempt.keys()])].filter((label) => /^[\x21-\x7e]+$/.test(label));
    const entries = labels.sort().map((label) => {
      const [rule, exception] = [named.get(label), exempt.get(label)];
      if (rule === undefined) return `${label}^`;
      const isSuffix = ((trie.nodeFlags[rule] ?? 0) & kinds) !== 0;
      const inner = format(rule, exception, false);
      if (inner === "" && (isTop || !isSuffix)) return "";
      return `${label}${isSuffix ? "" : "!"}${inner && `(${inner})`}`;
    });
    return entries.filter((entry) => entry !== "").join(" ");
  };
  return format(trie.rulesRoot, trie.exceptionsRoot, true);
}
