/** The name that was probably meant: the one with the fewest changed letters, or one that contains it. */
export function closestName(name: string, names: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(name.length / 3));
  const distances = names.map((each) => ({ each, distance: editDistance(name.toLowerCase(), each) }));
  const [closest] = [...distances].sort((a, b) => a.distance - b.distance);
  if (closest && closest.distance <= allowed) return closest.each;
  return name.length >= 4 ? names.find((each) => each.includes(name.toLowerCase())) : undefined;
}

/** How many letters have to be inserted, removed or replaced (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
