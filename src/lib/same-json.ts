/** Whether two values say the same as JSON, in whichever order their members come. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [members, others] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    members.length === others.size &&
    members.every(([name, value]) => others.has(name) && isSameJson(value, others.get(name)))
  );
}
