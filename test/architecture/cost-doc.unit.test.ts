import { expect, it } from "vitest";
import { computeMonthlyCost, MESSAGES_PER_MINUTE } from "../../scripts/deploy/cost.ts";
import {
  BASE_USD,
  type BilledUnits,
  computeBill,
  computeListPrice,
  computeUnitsPerCheck,
  MINUTES_PER_MONTH,
  OBJECT_BYTES_PER_HEARTBEAT_MONITOR,
  PRICES,
  UNITS_PER_CHECK,
  UNITS_PER_HEARTBEAT,
  UNITS_PER_MESSAGE,
  UNITS_PER_PAGE_VIEW,
} from "../../src/domain/bill.ts";

const FLEETS = [100, 1_000, 10_000, 100_000, 1_000_000];
const KINDS: Record<string, BilledUnits> = {
  "checks from one region": UNITS_PER_CHECK,
  heartbeats: UNITS_PER_HEARTBEAT,
  "page views": UNITS_PER_PAGE_VIEW,
};

const HANGING = computeUnitsPerCheck({ hanging_share: 0.02 });
const HALF_FULL = computeUnitsPerCheck({ members_per_message: 30 });

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const table = (heads: readonly string[], rows: readonly string[][]) => [
  row(heads),
  row(heads.map((_head, n) => (n === 0 ? "---" : "---:"))),
  ...rows.map(row),
];
const dollars = (usd: number) => (usd < 100 ? usd.toFixed(2) : Math.round(usd).toLocaleString("en-US"));
const times = (units: BilledUnits, count: number): BilledUnits =>
  Object.fromEntries(Object.entries(units).map(([unit, each]) => [unit, each * count]));

const heartbeatsOf = (monitors: number): BilledUnits => ({
  ...times(UNITS_PER_HEARTBEAT, monitors * MINUTES_PER_MONTH),
  objectBytes: monitors * OBJECT_BYTES_PER_HEARTBEAT_MONITOR,
});

function describeCost(): string {
  const price = (units: BilledUnits) => computeListPrice(times(units, 1_000_000));
  return [
    "# Cost",
    "",
    "What Cloudflare bills for an installation: `npm run costs` generates this page from `src/domain/bill.ts`, whose units per",
    "check and per heartbeat are limits that tests hold the service to. Prices are Cloudflare's list prices for Workers Paid.",
    "`GET /uptime/capacity` shows the bill of your own installation, from units that it counted.",
    "",
    "## Formula",
    "",
    `A month costs $${BASE_USD}, and for each unit: (used − included) × price, never below zero.`,
    "",
    ...table(
      ["Unit", "Included a month", "$ per million", "per check", "per heartbeat", "per page view"],
      Object.entries(PRICES).map(([unit, { included, perMillion, label }]) => [
        label,
        included.toLocaleString("en-US"),
        String(perMillion),
        ...Object.values(KINDS).map((units) => String(Number((units[unit as keyof BilledUnits] ?? 0).toFixed(3)))),
      ]),
    ),
    "",
    "Once nothing is included any more, a million of each costs:",
    "",
    ...table(
      ["A million", "$"],
      [
        ...Object.entries(KINDS).map(([name, units]) => [name, dollars(price(units))]),
        ["checks from three regions", dollars(3 * price(UNITS_PER_CHECK))],
        ["checks of a fleet of which 2 % hang", dollars(price(HANGING))],
        ["checks of a fleet of which 2 % hang, from three regions", dollars(3 * price(HANGING))],
        ["checks in shards that are half full, until they are packed", dollars(price(HALF_FULL))],
      ],
    ),
    "",
    "Most of a check is paid by the message that it shares with up to 60 monitors of the same interval and regions:",
    "",
    ...table(
      ["A message", "units", "millionths of a $"],
      Object.entries(UNITS_PER_MESSAGE).map(([unit, each]) => {
        const { label, perMillion } = PRICES[unit as keyof BilledUnits];
        return [label, String(Number(each.toFixed(2))), (each * perMillion).toFixed(2)];
      }),
    ),
    "",
    "So monitors are kept together. Within an hour, the members of shards that deletions or changes left sparse move to as few",
    "shards as hold them all. Targets that hang are checked apart, up to 30 of them in one message, whichever shard is theirs: each",
    "calls the object of its monitor, too. The history of a group is one row for a quarter of an hour, which grows in place.",
    "",
    "A heartbeat is two rows of its object: what was said, and the alarm, which is moved to the time at which silence becomes an",
    "outage, and so fires only then. With a `failure_threshold` of three it is moved by every third heartbeat; of several within",
    "one interval, by the last one. Once an hour the object wakes and reads its monitor.",
    "",
    "Agents send what they found together, once a minute while nothing changes. A result or a vote is one row read, of its monitor;",
    "each request reads five rows more and writes three, of the agent and its list of newest results, and is one call of the object",
    "with its history. Thirty votes cost 1.17 rows read and 0.1 written each. What fails or recovers calls the object of its monitor.",
    "",
    "CPU and the duration of objects, 10 ms a request, are estimated: the platform's clock stands still while a Worker computes.",
    `An installation without work sends ${MESSAGES_PER_MINUTE} messages a minute, which is in the table of months.`,
    "",
    "An open view of the dashboard waits for a word of its account's object, which sleeps meanwhile; pings wake nothing. Left alone",
    "it asks every 5 minutes in case a word was lost, every minute where it shows measurements: 576 or 2,880 requests a day, of",
    "which half are answered from one row each of three indexes. A change is one more object request, whether anybody follows or",
    "not, and while somebody does one query and up to a second of the object's duration. A hidden tab costs nothing.",
    "",
    "## A month",
    "",
    "Healthy targets, checked or reporting once a minute, in dollars, with the history that their objects keep. The database's",
    "storage, mail and deliveries of alerts come on top.",
    "",
    ...table(
      ["Monitors", "checked from one region", "from three regions", "heartbeats"],
      FLEETS.map((monitors) => [
        monitors.toLocaleString("en-US"),
        dollars(computeMonthlyCost({ monitors, interval: 60 }).usd),
        dollars(computeMonthlyCost({ monitors: 3 * monitors, interval: 60 }).usd),
        dollars(computeBill(heartbeatsOf(monitors)).usd),
      ]),
    ),
    "",
    "A check every five minutes costs a fifth of one every minute. What a fleet of this size needs besides money is in",
    "[scale.md](scale.md).",
    "",
  ].join("\n");
}

it("docs/cost.md says what the code counts with (npm run costs writes it anew)", async () => {
  await expect(describeCost()).toMatchFileSnapshot("../../docs/cost.md");
});
