import { z } from "zod";
import { addressOf } from "./egress/address.ts";
import { egressOf } from "./egress/guard.ts";
import type { Settings } from "./settings.ts";

const TIMEOUT_MS = 5000;
const TYPES = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const;
type RecordType = keyof typeof TYPES;
/** No error, and no such name. Everything else says nothing about the name: RFC 1035, 4.1.1. */
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

const Answer = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).default([]),
});
type Answer = z.infer<typeof Answer>;

/** The texts under a name, by the operator's resolvers in their order; null where none of them could say. */
export async function lookUpTexts(settings: Settings, name: string): Promise<string[] | null> {
  const answer = await lookUp(settings, name, "TXT");
  return answer && dataOf(answer, "TXT").map(unquote);
}

/**
 * Whether a name leads to another one: by a CNAME, directly or over others, or by the same addresses, which is what
 * zones write that may have no CNAME at their top (ALIAS, flattening). Null when no resolver answered.
 */
export async function resolvesTo(settings: Settings, name: string, target: string): Promise<boolean | null> {
  const named = await lookUp(settings, name, "CNAME");
  if (named === null) return null;
  if (hasName(named, target)) return true;
  if (named.Status === NO_SUCH_NAME) return false;
  const [v4, v6] = await Promise.all([lookUp(settings, name, "A"), lookUp(settings, name, "AAAA")]);
  if ([v4, v6].some((answer) => answer && hasName(answer, target))) return true;
  const own = addressesIn(v4, v6);
  if (own === null) return null;
  if (own.length === 0) return false;
  const wanted = await lookUpAddresses(settings, target);
  return wanted && own.some((address) => wanted.includes(address));
}

async function lookUpAddresses(settings: Settings, name: string): Promise<string[] | null> {
  if (addressOf(name) !== null) return [name];
  return addressesIn(...(await Promise.all([lookUp(settings, name, "A"), lookUp(settings, name, "AAAA")])));
}

/** Null where neither family was answered. */
function addressesIn(v4: Answer | null, v6: Answer | null): string[] | null {
  if (v4 === null && v6 === null) return null;
  return [...dataOf(v4, "A"), ...dataOf(v6, "AAAA")];
}

function hasName(answer: Answer, name: string): boolean {
  return dataOf(answer, "CNAME").some((found) => found.toLowerCase().replace(/\.$/, "") === name.toLowerCase());
}

function dataOf(answer: Answer | null, type: RecordType): string[] {
  return (answer?.Answer ?? []).filter((record) => record.type === TYPES[type]).map(({ data }) => data);
}

async function lookUp(settings: Settings, name: string, type: RecordType): Promise<Answer | null> {
  for (const resolver of settings.DOH_RESOLVERS) {
    const answer = await query(settings, resolver, { name, type }).catch(() => null);
    if (answer && [NO_ERROR, NO_SUCH_NAME].includes(answer.Status)) return answer;
  }
  return null;
}

async function query(settings: Settings, resolver: string, question: { name: string; type: string }): Promise<Answer> {
  const url = new URL(resolver);
  url.searchParams.set("name", question.name);
  url.searchParams.set("type", question.type);
  const { response } = await egressOf(settings).guardedFetch(url, {
    method: "GET",
    headers: { accept: "application/dns-json" },
    purpose: "check",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return Answer.parse(await response.json());
}

/** Resolvers give `"one" "two"` for a record of two strings, which count as one text. */
function unquote(data: string): string {
  const parts = [...data.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part = ""]) => part.replace(/\\(.)/g, "$1"));
  return parts.length > 0 ? parts.join("") : data;
}
