import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PRICES } from "../../src/domain/bill.ts";
import {
  FREE_FLEET,
  FREE_PER_ACCOUNT,
  FREE_PER_DAY,
  FREE_PER_INVOCATION,
  FREE_PER_WORKER,
  FREE_UNITS,
} from "../../src/domain/free-plan.ts";

const TEXT = readFileSync(join(import.meta.dirname, "../../docs/free-plan.md"), "utf8");
const count = (value: number) => value.toLocaleString("en-US");
const capitalised = (text: string) => text[0]?.toUpperCase() + text.slice(1);

const LIMITS: [label: string, value: number][] = [
  ...FREE_UNITS.map((unit): [string, number] => [`${capitalised(PRICES[unit].label)} a day`, FREE_PER_DAY[unit]]),
  ["CPU of an invocation, ms", FREE_PER_INVOCATION.cpuMs],
  ["Requests of an invocation to the net, redirects included", FREE_PER_INVOCATION.externalRequests],
  ["Requests of an invocation to Cloudflare's services", FREE_PER_INVOCATION.internalRequests],
  ["Database queries of an invocation", FREE_PER_INVOCATION.queries],
  ["Cron triggers of an account", FREE_PER_ACCOUNT.cronTriggers],
  ["Workers of an account", FREE_PER_ACCOUNT.workers],
  ["Variables and secrets of a Worker", FREE_PER_WORKER.variables],
  ["Bytes of a Worker, compressed", FREE_PER_WORKER.bytes],
  ["Databases of an account", FREE_PER_ACCOUNT.databases],
  ["Bytes of a database", FREE_PER_ACCOUNT.databaseBytes],
  ["Files of static assets", FREE_PER_WORKER.assetFiles],
];

describe("docs/free-plan.md", () => {
  it("names every limit that the edition keeps to, with its source, and no other", () => {
    const rows = [...TEXT.matchAll(/^\| ([^|]+) \| ([\d,]+) \| (\S[^|]*) \|$/gm)].map(([, label, value]) => [
      label,
      value,
    ]);
    expect(rows).toEqual(LIMITS.map(([label, value]) => [label, count(value)]));
  });

  it("says what fits", () => {
    const { monitors, checksPerMinute, heartbeatsPerMinute } = FREE_FLEET;
    expect(TEXT).toContain(`checks ${monitors} monitors every five minutes, or ${checksPerMinute} every minute`);
    expect(TEXT).toContain(`${heartbeatsPerMinute} expected a minute`);
  });
});
