import { CHECK_OUTCOMES, type CheckOutcome } from "../contract/check.ts";
import { PHASES, type PhaseTimes } from "../contract/phases.ts";
import { ByteReader, ByteWriter } from "../lib/varint.ts";

/**
 * How results of checks are kept: packed, about six bytes per check. Monitors and the messages of
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
  /** A number of the directory; null where it is not known. */
  place: number | null;
  /** As JSON text; null for none. */
  details: string | null;
  /** Of a success whose phases were measured. */
  phases?: PhaseTimes;
  /** It arrived too late to say anything about the present. */
  is_late?: boolean;
}

/**
 * What follows the numbers of a check: its message as text, else as a number; a place unless it is that of the check
 * before; details; its phases. The rest is a claim about the check.
 */
const HAS_TEXT = 1;
const HAS_PLACE = 2;
const HAS_DETAILS = 4;
const IS_LATE = 8;
const HAS_PHASES = 16;

/** Rows of checks without a place can be appended to each other. */
export function packChecks(checks: readonly PackedCheck[]): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  let place: number | null = null;
  for (const check of checks) {
    writer.integer(check.member);
    writer.integer(CHECK_OUTCOMES.indexOf(check.outcome));
    writer.integer(check.latency_ms === null ? 0 : Math.round(check.latency_ms) + 1);
    writer.integer(Math.max(0, Math.round(check.delay_ms)));
    const hasText = typeof check.message === "string" ? HAS_TEXT : 0;
    const hasPlace = check.place === place ? 0 : HAS_PLACE;
    const hasDetails = check.details === null ? 0 : HAS_DETAILS;
    const hasPhases = check.phases ? HAS_PHASES : 0;
    writer.integer(hasText | hasPlace | hasDetails | (check.is_late ? IS_LATE : 0) | hasPhases);
    if (typeof check.message === "number") writer.integer(check.message);
    else writer.text(check.message);
    if (hasPlace > 0) writer.integer(check.place === null ? 0 : check.place + 1);
    place = check.place;
    if (check.details !== null) writer.text(check.details);
    for (const ms of check.phases ?? []) writer.integer(ms === null ? 0 : Math.round(ms) + 1);
  }
  return writer.finish();
}

export function unpackChecks(bytes: Uint8Array): PackedCheck[] {
  const reader = new ByteReader(bytes);
  const checks: PackedCheck[] = [];
  let place: number | null = null;
  while (!reader.isAtEnd) {
    const member = reader.integer();
    const outcome = CHECK_OUTCOMES[reader.integer()];
    if (outcome === undefined) throw new RangeError("packed check with an unknown outcome");
    const latency = reader.integer();
    const delay_ms = reader.integer();
    const parts = reader.integer();
    const message = parts & HAS_TEXT ? reader.text() : reader.integer();
    if (parts & HAS_PLACE) place = reader.integer() - 1;
    if (place === -1) place = null;
    checks.push({
      member,
      outcome,
      latency_ms: latency === 0 ? null : latency - 1,
      delay_ms,
      message,
      place,
      details: parts & HAS_DETAILS ? reader.text() : null,
      ...(parts & HAS_PHASES ? { phases: readTimes(reader) } : {}),
      ...(parts & IS_LATE ? { is_late: true } : {}),
    });
  }
  return checks;
}

function readTimes(reader: ByteReader): PhaseTimes {
  return PHASES.map(() => reader.integer()).map((ms) => (ms === 0 ? null : ms - 1));
}

/** The packed checks of one message, which lie with those of other messages in one row. */
export interface PackedMessage {
  /** Of its slot, after the beginning of the row. */
  offset_ms: number;
  attempt: number;
  checks: PackedCheck[];
}

type MessagePlace = Omit<PackedMessage, "checks">;

/** Packed messages can be appended to each other. */
export function packMessage({ offset_ms, attempt, checks }: PackedMessage): Uint8Array<ArrayBuffer> {
  return new ByteWriter().integer(offset_ms).integer(attempt).bytes(packChecks(checks)).finish();
}

/** Those that are wanted; the checks of others are not read. */
export function unpackMessages(
  bytes: Uint8Array,
  isWanted: (message: MessagePlace) => boolean = () => true,
): PackedMessage[] {
  const messages: PackedMessage[] = [];
  for (const { checks, ...place } of packedMessages(bytes)) {
    if (isWanted(place)) messages.push({ ...place, checks: unpackChecks(checks) });
  }
  return messages;
}

export function hasMessage(bytes: Uint8Array, wanted: MessagePlace): boolean {
  for (const { offset_ms, attempt } of packedMessages(bytes)) {
    if (offset_ms === wanted.offset_ms && attempt === wanted.attempt) return true;
  }
  return false;
}

function* packedMessages(bytes: Uint8Array): Generator<MessagePlace & { checks: Uint8Array }> {
  const reader = new ByteReader(bytes);
  while (!reader.isAtEnd) yield { offset_ms: reader.integer(), attempt: reader.integer(), checks: reader.bytes() };
}
