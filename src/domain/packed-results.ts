import { CHECK_OUTCOMES, type CheckOutcome } from "../contract/check.ts";
import { ByteReader, ByteWriter } from "../lib/varint.ts";

/**
 * How results of checks are kept: one packed row per message, about six bytes per check. Monitors and the messages of
 * successes, which repeat endlessly, are numbers of a directory that the row's object keeps beside it.
 */
export interface PackedCheck {
  /** Number of the monitor in the object's directory. */
  member: number;
  outcome: CheckOutcome;
  latency_ms: number | null;
  /** After the slot; a late check is a positive number. */
  delay_ms: number;
  /** A number of the directory for a success, the text itself for everything else. */
  message: number | string;
}

export function packChecks(checks: readonly PackedCheck[]): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  for (const check of checks) {
    writer.integer(check.member);
    writer.integer(CHECK_OUTCOMES.indexOf(check.outcome));
    writer.integer(check.latency_ms === null ? 0 : Math.round(check.latency_ms) + 1);
    writer.integer(Math.max(0, Math.round(check.delay_ms)));
    if (typeof check.message === "number") writer.integer(0).integer(check.message);
    else writer.integer(1).text(check.message);
  }
  return writer.finish();
}

export function unpackChecks(bytes: Uint8Array): PackedCheck[] {
  const reader = new ByteReader(bytes);
  const checks: PackedCheck[] = [];
  while (!reader.isAtEnd) {
    const member = reader.integer();
    const outcome = CHECK_OUTCOMES[reader.integer()];
    if (outcome === undefined) throw new RangeError("packed check with an unknown outcome");
    const latency = reader.integer();
    const delay_ms = reader.integer();
    const message = reader.integer() === 0 ? reader.integer() : reader.text();
    checks.push({ member, outcome, latency_ms: latency === 0 ? null : latency - 1, delay_ms, message });
  }
  return checks;
}
