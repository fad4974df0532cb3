/** Things after those that they name. Who names each other in a circle stays as it is, for the service to refuse. */
export function orderByNeeds<Thing>(
  things: readonly Thing[],
  { keyOf, needsOf }: { keyOf: (thing: Thing) => string; needsOf: (thing: Thing) => readonly string[] },
): Thing[] {
  const byKey = new Map(things.map((thing) => [keyOf(thing), thing]));
  const ordered = new Set<Thing>();
  const begun = new Set<Thing>();
  const add = (thing: Thing) => {
    if (begun.has(thing)) return;
    begun.add(thing);
    for (const key of needsOf(thing)) {
      const needed = byKey.get(key);
      if (needed !== undefined) add(needed);
    }
    ordered.add(thing);
  };
  for (const thing of things) add(thing);
  return [...ordered];
}
