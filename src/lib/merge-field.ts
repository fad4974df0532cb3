/** What a partial update makes of a member: absent keeps it, null gives it its default back. */
export function replaced<Value>(given: Value | null | undefined, current: Value, fallback: Value): Value {
  return given === undefined ? current : (given ?? fallback);
}

/**
 * The members that a change gives another value. A write of these alone keeps what another request wrote into the others
 * since `current` was read.
 */
export function changedMembers<Row extends object>(current: Row, next: Row): Partial<Row> {
  const before = new Map<string, unknown>(Object.entries(current));
  const changed = Object.entries(next).filter(([name, value]) => !isSame(before.get(name), value));
  // A selection of the members of a row.
  return Object.fromEntries(changed) as Partial<Row>;
}

const isSame = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** A time of change that no earlier state of the record has, so that it distinguishes states within a millisecond. */
export const stampAfter = (current: { updated_at: number }, now: number) => Math.max(now, current.updated_at + 1);
