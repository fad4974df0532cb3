import { COUNTED_UNITS, type CountedUnits } from "../contract/capacity.ts";

export function zeroUnits(): CountedUnits {
  // Made from the whole list.
  return Object.fromEntries(COUNTED_UNITS.map((unit) => [unit, 0])) as CountedUnits;
}

/** A unit that one of them lacks, because another release counted it, is zero. */
export function addUnits(one: Partial<CountedUnits>, other: Partial<CountedUnits>): CountedUnits {
  const sum = zeroUnits();
  for (const unit of COUNTED_UNITS) sum[unit] = (one[unit] ?? 0) + (other[unit] ?? 0);
  return sum;
}
