import { expect, it } from "vitest";
import { computeMonthlyCost } from "../../scripts/deploy/cost.ts";
import {
  BASE_USD,
  type BilledUnits,
  computeBill,
  computeListPrice,
  MINUTES_PER_MONTH,
  PRICES,
  UNITS_PER_CHECK,
  UNITS_PER_HEARTBEAT,
  UNITS_PER_PAGE_VIEW,
} from "../../src/domain/bill.ts";

const FLEETS = [100, 1_000, 10_000, 100_000, 1_000_000];
const KINDS: Record<string, BilledUnits> = {
  "checks from one region": UNITS_PER_CHECK,
  heartbeats: UNITS_PER_HEARTBEAT,
  "page views": UNITS_PER_PAGE_VIEW,
};

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const table = (heads: readonly string[], rows: readonly string[][]) => [
  row(heads),
  row(heads.map((_head, n) => (n === 0 ? "---" : "---:"))),
  ...rows.map(row),
];
const dollars = (usd: number) => (usd < 100 ? usd.toFixed(2) : Math.round(usd).toLocaleString("en-US"));
const times = (units: BilledUnits, count: number): BilledUnits =>
  Object.fromEntries(Object.entries(units).map(([unit, each]) => [unit, each * count]));

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
        ["checks in groups that are half full", dollars(price(halfFull(UNITS_PER_CHECK)))],
        ["checks in full groups, of each one target hanging", dollars(price(withOneHanging(UNITS_PER_CHECK)))],
      ],
    ),
    "",
    "A group holds up to 60 monitors of the same interval and regions. CPU per check is estimated: the platform's clock",
    "stands still while a Worker computes.",
    "",
    "## A month",
    "",
    "Healthy targets, checked or reporting once a minute, in dollars. Storage, mail and deliveries of alerts come on top.",
    "",
    ...table(
      ["Monitors", "checked from one region", "from three regions", "heartbeats"],
      FLEETS.map((monitors) => [
        monitors.toLocaleString("en-US"),
        dollars(computeMonthlyCost({ monitors, interval: 60 }).usd),
        dollars(computeMonthlyCost({ monitors: 3 * monitors, interval: 60 }).usd),
        dollars(computeBill(times(UNITS_PER_HEARTBEAT, monitors * MINUTES_PER_MONTH)).usd),
      ]),
    ),
    "",
    "A check every five minutes costs a fifth of one every minute. What a fleet of this size needs besides money is in",
    "[scale.md](scale.md).",
    "",
  ].join("\n");
}

/** What is paid for each message weighs twice when it holds half as many checks. */
function halfFull(units: BilledUnits): BilledUnits {
  const { d1RowsRead = 0, cpuMs = 0, ...perMessage } = units;
  return { d1RowsRead, cpuMs, ...times(perMessage, 2) };
}

/** It has a message of its own, and each of its checks wakes the object of its monitor. */
function withOneHanging(units: typeof UNITS_PER_CHECK): BilledUnits {
  const doubled = halfFull(units);
  return { ...doubled, objectRequests: 3 * units.objectRequests };
}

it("docs/cost.md says what the code counts with (npm run costs writes it anew)", async () => {
  await expect(describeCost()).toMatchFileSnapshot("../../docs/cost.md");
});
