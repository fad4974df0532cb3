import { z } from "zod";
import { egressOf } from "./egress.ts";
import type { Settings } from "./settings.ts";

const TIMEOUT_MS = 5000;
const TXT = 16;
/** No error, and no such name. Everything else says nothing about the name: RFC 1035, 4.1.1. */
const STATUSES_OF_THE_NAME = [0, 3];

const Answer = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).default([]),
});

/** The texts under a name, by the operator's resolvers in their order; null where none of them could say. */
export async function lookUpTexts(settings: Settings, name: string): Promise<string[] | null> {
  for (const resolver of settings.DOH_RESOLVERS) {
    const answer = await ask(settings, resolver, name).catch(() => null);
    if (answer && STATUSES_OF_THE_NAME.includes(answer.Status)) {
      return answer.Answer.filter(({ type }) => type === TXT).map(({ data }) => unquote(data));
    }
  }
  return null;
}

async function ask(settings: Settings, resolver: string, name: string): Promise<z.infer<typeof Answer>> {
  const url = new URL(resolver);
  url.searchParams.set("name", name);
  url.searchParams.set("type", "TXT");
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
