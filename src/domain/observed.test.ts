import { describe, expect, it } from "vitest";
import type { Observed } from "../contract/monitor-object.ts";
import { compareObserved, linesOf, markLines, phasesOf } from "./observed.ts";

const seen = (location: string, checked_at: number, is_failure: boolean): Observed => ({
  location,
  checked_at,
  is_failure,
  message: "",
  observation: {},
});

describe("what locations saw of an outage", () => {
  it("is compared by location: the first failure with the good ones around it", () => {
    const rows = [seen("weur", 1, false), seen("weur", 5, true), seen("weur", 9, false), seen("enam", 2, false)];
    expect(compareObserved([...rows].reverse(), 4)).toMatchObject([
      { location: "weur", good: { checked_at: 1 }, failure: { checked_at: 5 }, recovery: { checked_at: 9 } },
    ]);
  });

  it("lacks what was not seen", () => {
    expect(compareObserved([seen("weur", 5, true)], 0)).toMatchObject([{ good: null, recovery: null }]);
    expect(compareObserved([seen("weur", 5, true)], 6)).toEqual([]);
  });
});

describe("the lines of what was seen", () => {
  it("are marked where the other one lacks them, but for what differs between any two checks", () => {
    const headers = (server: string, date: string): [string, string][] => [
      ["server", server],
      ["date", date],
    ];
    const good = linesOf({ response: { line: "HTTP 200", headers: headers("nginx", "Mon") } }, "response");
    const bad = linesOf({ response: { line: "HTTP 502", headers: headers("nginx", "Tue") } }, "response");
    expect(markLines(bad, good).filter(({ differs }) => differs)).toMatchObject([{ text: "HTTP 502" }]);
    expect(markLines(bad, null).some(({ differs }) => differs)).toBe(false);
  });

  it("name the addresses of a name in one order, and say where there was none", () => {
    const lookup = (answers: string[]) =>
      linesOf({ lookup: { name: "a.example", answers, server: "one.example", latency_ms: 4 } }, "lookup");
    expect(lookup(["192.0.2.2", "192.0.2.1"]).map(({ text }) => text)).toEqual([
      "a.example, asked one.example, 4 ms",
      "192.0.2.1",
      "192.0.2.2",
    ]);
    expect(lookup([]).at(-1)?.text).toBe("no address");
  });
});

it("gives the phases that were measured, in the order in which they pass", () => {
  const none = { lookup_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, transfer_ms: null };
  const phases = { ...none, transfer_ms: 3, lookup_ms: 1, undivided_ms: 20 };
  expect(phasesOf({ phases }).map(({ name, ms }) => `${name} ${ms}`)).toEqual([
    "name 1",
    "until the answer 20",
    "transfer 3",
  ]);
});
