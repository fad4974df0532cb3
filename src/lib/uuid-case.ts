import { isRecord } from "./is-record.ts";

/** RFC 9562 has UUIDs written in lower case and read in either. */
const UPPER_CASE_UUID =
  /(?<![0-9A-Fa-f-])(?=[\da-f-]*[A-F])[\dA-Fa-f]{8}-(?:[\dA-Fa-f]{4}-){3}[\dA-Fa-f]{12}(?![\dA-Fa-f-])/g;
const ID_NAME = /(?:^|_)ids?$/;

/** The text with every UUID in it in lower case. */
export function lowerCaseUuids(text: string): string {
  return text.replace(UPPER_CASE_UUID, (uuid) => uuid.toLowerCase());
}

/** A JSON value whose members that are named as ids have their UUIDs in lower case; other texts stay as they are. */
export function lowerCaseIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerCaseIds);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      ID_NAME.test(name) ? lowerCaseAll(member) : lowerCaseIds(member),
    ]),
  );
}

function lowerCaseAll(value: unknown): unknown {
  if (typeof value === "string") return lowerCaseUuids(value);
  return Array.isArray(value) ? value.map(lowerCaseAll) : lowerCaseIds(value);
}
