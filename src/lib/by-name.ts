const COLLATOR = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Orders names as people look for them: `Shop 2` before `Shop 10`, regardless of case. */
export function byName(one: string, other: string): number {
  return COLLATOR.compare(one, other);
}
