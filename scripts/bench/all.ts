import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { computeListPrice, UNITS_PER_CHECK, UNITS_PER_HEARTBEAT } from "../../src/domain/bill.ts";
import { type Growth, measureGrowth } from "./growth.ts";
import { measureAgent } from "./measured-agent.ts";
import { measureChecks, measureHanging } from "./measured-checks.ts";
import { measureComposite, measureFailures, measureFanOut } from "./measured-failures.ts";
import { measureOutages } from "./measured-outages.ts";
import { measureRequests } from "./measured-requests.ts";
import { measureStart } from "./measured-start.ts";
import { type Measure, median, type Round } from "./measures.ts";
import { type PeerRow, parsePeer } from "./peers.ts";
import { FULL, QUICK, type Rig, startRig, type Units } from "./rig.ts";

/**
 * `npm run bench -- all [--quick] [--json FILE] [--compare FILE] [--peer NAME=DIR]`: one table of everything that is
 * promised to be fast or cheap, each beside the least that anything of its kind has to do, measured in turns on the same
 * machine. Ratios carry over to other machines, the rest does not.
 */
const PHASES = [
  ...[measureRequests, measureFailures, measureFanOut, measureComposite],
  ...[measureOutages, measureChecks, measureHanging, measureStart, measureAgent],
];

interface Row {
  name: string;
  unit: string;
  value: number;
  baseline: { name: string; value: number };
  /** Of the baseline; the median of the rounds. */
  ratio: number;
  cpu_ms: number | null;
  /** Of one operation, as the platform bills it. */
  units: Units | null;
}

interface Report {
  machine: string;
  rounds: number;
  rows: Row[];
  /** Dollars by list price, from the units above and the CPU measured; rows of objects as tests limit them. */
  per_million: { name: string; usd: number; limit: number }[];
  growth: Growth[];
  peers: PeerRow[];
}

export async function benchAll(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      compare: { type: "string" },
      peer: { type: "string", multiple: true, default: [] },
    },
  });
  const peers = values.peer.map(parsePeer);
  const former =
    values.compare === undefined ? undefined : (JSON.parse(readFileSync(values.compare, "utf8")) as Report);
  await using rig = await startRig(values.quick ? QUICK : FULL);
  const rows: Row[] = [];
  for (const prepare of PHASES) rows.push(...(await measurePhase(rig, await prepare(rig))));
  const report: Report = {
    machine: describeMachine(),
    rounds: rig.scale.rounds,
    rows,
    per_million: priceOf(rows, rig.scale.monitors),
    growth: await measureGrowth(rig),
    peers: [],
  };
  for (const measure of peers) report.peers.push(...(await measure(rig.scale)));
  const file = values.json ?? "bench.json";
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  print(report, former);
  console.log(`written to ${file}`);
}

/** All measures of a phase in each round, so that what else the machine does weighs on all of them alike. */
async function measurePhase(rig: Rig, measures: readonly Measure[]): Promise<Row[]> {
  const own = subtract(await countDuring(rig, async () => {}), NOTHING);
  const rounds = measures.map((): { round: Round; units: Units }[] => []);
  for (let n = 0; n < rig.scale.rounds; n++) {
    for (const [at, measure] of measures.entries()) {
      let round: Round | undefined;
      const counted = await countDuring(rig, async () => {
        round = await measure.round();
      });
      if (round) rounds[at]?.push({ round, units: subtract(counted, own) });
    }
  }
  return measures.map((measure, at) => summarise(measure, rounds[at] ?? []));
}

function summarise({ name, unit, baseline }: Measure, rounds: readonly { round: Round; units: Units }[]): Row {
  const middle = (read: (round: Round) => number) => median(rounds.map(({ round }) => read(round)));
  const isCounted = rounds.every(({ round }) => round.operations !== undefined);
  const each = (unit: keyof Units) =>
    Math.max(0, median(rounds.map(({ round, units }) => units[unit] / (round.operations ?? 1))));
  return {
    name,
    unit,
    value: middle(({ value }) => value),
    baseline: { name: baseline, value: middle((round) => round.baseline) },
    ratio: middle((round) => round.value / round.baseline),
    cpu_ms: rounds.every(({ round }) => round.cpu !== undefined) ? middle(({ cpu = Number.NaN }) => cpu) : null,
    units: isCounted
      ? {
          requests: each("requests"),
          object_requests: each("object_requests"),
          messages: each("messages"),
          d1_calls: each("d1_calls"),
          d1_rows_read: each("d1_rows_read"),
          d1_rows_written: each("d1_rows_written"),
        }
      : null,
  };
}

const NOTHING: Units = {
  requests: 0,
  object_requests: 0,
  messages: 0,
  d1_calls: 0,
  d1_rows_read: 0,
  d1_rows_written: 0,
};

async function countDuring(rig: Rig, work: () => Promise<void>): Promise<Units> {
  const before = await rig.units();
  await work();
  return subtract(await rig.units(), before);
}

function subtract(a: Units, b: Units): Units {
  return {
    requests: a.requests - b.requests,
    object_requests: a.object_requests - b.object_requests,
    messages: a.messages - b.messages,
    d1_calls: a.d1_calls - b.d1_calls,
    d1_rows_read: a.d1_rows_read - b.d1_rows_read,
    d1_rows_written: a.d1_rows_written - b.d1_rows_written,
  };
}

function priceOf(rows: readonly Row[], monitors: number): Report["per_million"] {
  const price = (row: string, limit: number, objectRowsWritten = 0) => {
    const { name = row, units, cpu_ms } = rows.find((each) => each.name.startsWith(row)) ?? {};
    if (!units) return { name, usd: Number.NaN, limit };
    const perOperation = {
      workerRequests: units.requests,
      objectRequests: units.object_requests,
      queueOperations: 3 * units.messages,
      d1RowsRead: units.d1_rows_read,
      d1RowsWritten: units.d1_rows_written,
      objectRowsWritten,
      cpuMs: cpu_ms ?? 0,
    };
    return { name, usd: 1e6 * computeListPrice(perOperation), limit };
  };
  return [
    price("heartbeat,", 2.9, UNITS_PER_HEARTBEAT.objectRowsWritten),
    price(`page of ${monitors} as JSON`, 1),
    price("check", 0.12, UNITS_PER_CHECK.objectRowsWritten),
    price("failure to webhook", 100),
  ];
}

function describeMachine(): string {
  const [cpu] = cpus();
  const gib = (totalmem() / 2 ** 30).toFixed(0);
  const load = loadavg()[0]?.toFixed(1);
  return `${cpus().length} × ${cpu?.model.trim()}, ${gib} GiB, ${process.platform} ${process.arch}, Node ${process.version}, load ${load}`;
}

function print({ machine, rounds, rows, per_million, growth, peers }: Report, former: Report | undefined): void {
  console.log(`${machine}; medians of ${rounds} rounds`);
  console.table(
    Object.fromEntries(
      rows.map(({ name, unit, value, baseline, ratio, cpu_ms, units }) => {
        const before = former?.rows.find((row) => row.name === name)?.ratio;
        const counted = units && Object.values(units).map(short).join(" / ");
        return [
          name,
          {
            measured: `${short(value)} ${unit}`,
            baseline: `${short(baseline.value)} (${baseline.name})`,
            ratio: short(ratio),
            ...(former && { before: before === undefined ? "" : short(before) }),
            "CPU ms": cpu_ms === null ? "" : short(cpu_ms),
            "units each*": counted ?? "",
          },
        ];
      }),
    ),
  );
  console.log("* requests / object requests / messages / database calls / rows read / rows written");
  console.table(
    Object.fromEntries(
      per_million.map(({ name, usd, limit }) => [`a million: ${name}`, { usd: short(usd), limit: short(limit) }]),
    ),
  );
  console.table(
    Object.fromEntries(
      growth.map(({ name, sizes, ms, exponent }) => {
        const steps = sizes.map((size, n) => `${size}: ${short(ms[n] ?? Number.NaN)} ms`).join(", ");
        return [name, { steps, exponent: short(exponent) }];
      }),
    ),
  );
  if (peers.length > 0) console.table(peers);
}

/** Three digits: measurements hold no more. */
function short(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(3))) : "–";
}
