import type { Sink } from "./sink.ts";

const TYPES: Record<string, number> = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 };

/** A resolver that speaks JSON over HTTPS, and the zones that it knows. A CNAME stands in the answers to all questions. */
export function serveZones(sink: Sink, resolver: string) {
  const zones = new Map<string, string[]>();
  const recordsOf = (name: string, type: string) =>
    (zones.get(`${name} ${type}`) ?? []).map((data) => ({ name, type: TYPES[type], TTL: 60, data }));
  sink.serve(resolver, ({ url }) => {
    const { searchParams } = new URL(url);
    const [name, type] = [searchParams.get("name") ?? "", searchParams.get("type") ?? ""];
    const aliases = type === "CNAME" ? [] : recordsOf(name, "CNAME");
    const asked = aliases[0] ? recordsOf(aliases[0].data.replace(/\.$/, ""), type) : recordsOf(name, type);
    const isKnown = [...zones].some(([key, found]) => key.startsWith(`${name} `) && found.length > 0);
    return Response.json({ Status: isKnown ? 0 : 3, Answer: [...aliases, ...asked] });
  });
  return {
    set: (name: string, type: "A" | "AAAA" | "CNAME" | "TXT", ...data: string[]) =>
      void zones.set(`${name} ${type}`, type === "TXT" ? data.map((text) => JSON.stringify(text)) : data),
  };
}
