import { ACKNOWLEDGE, type AlertMessage, headline, OPEN_INCIDENT } from "./alert-messages.ts";

/** What leaves for telephones: texts and their length in parts, and which numbers may be reached. */

/** https://en.wikipedia.org/wiki/GSM_03.38: the alphabet, and the signs of its extension, which take two places. */
const GSM =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const GSM_EXTENSION = "^{}\\[~]|€";
const GSM_UNITS = { alone: 160, joined: 153 };
const UNICODE_UNITS = { alone: 70, joined: 67 };
/** A message beyond the GSM alphabet holds so little that a link leaves no room in one part. */
const UNICODE_PARTS_MAX = 2;

/** Typographic signs, one of which would halve what a part holds. */
const PLAIN: readonly [RegExp, string][] = [
  [/[‘’‚]/g, "'"],
  [/[“”„]/g, '"'],
  [/[‐-―]/g, "-"],
  [/…/g, "..."],
  [/→/g, "->"],
  [/[\u00a0\u2009\u202f]/g, " "],
];

/** The parts for which a carrier charges. */
export function countSmsParts(text: string): number {
  const { alone, joined } = limitsOf(text);
  const length = unitsOf(text);
  return length <= alone ? 1 : Math.ceil(length / joined);
}

/** What is down, how to answer, and where to read on: one part in the GSM alphabet. */
export function composeSms(message: AlertMessage, { canReply }: { canReply: boolean }): string {
  const { links } = message;
  const link = (links.find(({ label }) => label === OPEN_INCIDENT) ?? links.find(({ label }) => label !== ACKNOWLEDGE))
    ?.url;
  const lines = [...(canReply ? ["Reply ACK to acknowledge."] : []), ...(link === undefined ? [] : [link])];
  const tail = lines.map((line) => `\n${line}`).join("");
  const title = PLAIN.reduce((text, [marks, plain]) => text.replace(marks, plain), headline(message));
  const whole = `${title}${tail}`;
  const { alone, joined } = limitsOf(whole);
  const length = isGsm(whole) ? alone : joined * UNICODE_PARTS_MAX;
  return `${cut(title, Math.max(0, length - unitsOf(tail)), isGsm(whole))}${tail}`;
}

/** Country codes, or the beginning of numbers, as the owner of a channel lists them. */
export function isAllowedNumber(number: string, countries: string): boolean {
  return (countries.match(/\+\d+/g) ?? []).some((start) => number.startsWith(start));
}

const isGsm = (text: string) => [...text].every((sign) => GSM.includes(sign) || GSM_EXTENSION.includes(sign));
const limitsOf = (text: string) => (isGsm(text) ? GSM_UNITS : UNICODE_UNITS);

function unitsOf(text: string): number {
  if (!isGsm(text)) return text.length;
  return [...text].reduce((sum, sign) => sum + (GSM_EXTENSION.includes(sign) ? 2 : 1), 0);
}

const LEFT_OUT = "...";

function cut(text: string, units: number, isOfGsm: boolean): string {
  const lengthOf = (part: string) => (isOfGsm ? unitsOf(part) : part.length);
  if (lengthOf(text) <= units) return text;
  let kept = "";
  for (const sign of text) {
    if (lengthOf(kept + sign) + LEFT_OUT.length > units) break;
    kept += sign;
  }
  return `${kept.trimEnd()}${LEFT_OUT}`;
}

/** Parts of text messages, or calls, that a channel sent to people this month, and may send. */
export interface PhoneUse {
  taken: number;
  parts_max: number;
}
