/**
 * Things after those that they name, otherwise in their order. Who names each other in a circle comes in any order, for the
 * service to refuse.
 */
export function orderByNeeds<Thing>(
  things: readonly Thing[],
  { keyOf, needsOf }: { keyOf: (thing: Thing) => string; needsOf: (thing: Thing) => readonly string[] },
): Thing[] {
  const byKey = new Map(things.map((thing) => [keyOf(thing), thing]));
  /** How long the longest chain of needs is. */
  const depths = new Map<Thing, number>();
  const depthOf = (thing: Thing): number => {
    const known = depths.get(thing);
    if (known !== undefined) return known;
    depths.set(thing, 0);
    const needed = needsOf(thing)
      .map((key) => byKey.get(key))
      .filter((each) => each !== undefined);
    const depth = Math.max(0, ...needed.map((each) => depthOf(each) + 1));
    depths.set(thing, depth);
    return depth;
  };
  return [...things].sort((one, other) => depthOf(one) - depthOf(other));
}
