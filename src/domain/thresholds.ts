import type { MetricThreshold, Operator } from "../contract/push.ts";

/** Every operator has a word and a sign. */
const COMPARE: Record<Operator, (actual: number, value: number) => boolean> = {
  gt: (actual, value) => actual > value,
  ">": (actual, value) => actual > value,
  gte: (actual, value) => actual >= value,
  ">=": (actual, value) => actual >= value,
  lt: (actual, value) => actual < value,
  "<": (actual, value) => actual < value,
  lte: (actual, value) => actual <= value,
  "<=": (actual, value) => actual <= value,
  eq: (actual, value) => actual === value,
  "==": (actual, value) => actual === value,
  "=": (actual, value) => actual === value,
  neq: (actual, value) => actual !== value,
  "!=": (actual, value) => actual !== value,
};

export function compare(operator: Operator, actual: number, value: number): boolean {
  return COMPARE[operator](actual, value);
}

/** The worst threshold that the numbers cross; a metric that was not measured crosses none. */
export function findCrossed(
  thresholds: readonly MetricThreshold[],
  numbers: ReadonlyMap<string, number>,
): { threshold: MetricThreshold; actual: number } | null {
  const crossed = thresholds.flatMap((threshold) => {
    const actual = numbers.get(threshold.metric);
    const isCrossed = actual !== undefined && compare(threshold.operator, actual, threshold.value);
    return isCrossed ? [{ threshold, actual }] : [];
  });
  return crossed.find(({ threshold }) => threshold.status === "down") ?? crossed[0] ?? null;
}
