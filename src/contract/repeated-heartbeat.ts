import type { PushOutcome } from "./monitor-object.ts";

type Taken = Extract<PushOutcome, { outcome: "taken" }>;

/**
 * What a monitor's object answers where a heartbeat changed times alone. In text, because the runtime keeps track of every
 * JavaScript object that a call gives back, which makes the call a quarter dearer.
 */
export function packRepeated(receivedAt: number, nextExpectedAt: number): string {
  return `${receivedAt} ${nextExpectedAt}`;
}

export function unpackRepeated(text: string): Taken {
  const [received_at, next_expected_at] = text.split(" ").map(Number) as [number, number];
  return { outcome: "taken", received_at, status: "up", next_expected_at, snapshot: null, evaluates_rules: false };
}
