/** What a partial update makes of a member: absent keeps it, null gives it its default back. */
export function replaced<Value>(given: Value | null | undefined, current: Value, fallback: Value): Value {
  return given === undefined ? current : (given ?? fallback);
}
