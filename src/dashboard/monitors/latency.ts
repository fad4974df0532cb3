import type { RequestScope } from "../../access/scope.ts";
import type { LatencyPeriod } from "../../contract/latency.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { addTallies, type LatencyHistogram } from "../../domain/baseline.ts";
import type { LatencyPoint } from "../../domain/latency-series.ts";
import { PHASE_NAMES } from "../../domain/observed.ts";
import { joinMeans, meanPhases } from "../../domain/phase-tally.ts";
import { listLatency } from "../../features/latency/service.ts";
import type { ChartLine } from "../components/chart.tsx";
import { words } from "../words.ts";
import type { LatencyChart, PhaseChart } from "./latency-chart.tsx";
import { loadPlacedAgents, nameOfLocation } from "./locations.tsx";

/** The medians of each location, or of a monitor in one place the median and the slowest twentieth. */
export async function loadLatency(
  ctx: RequestScope,
  { id, regions, locations }: Pick<MonitorRecord, "id" | "regions" | "locations">,
  period: LatencyPeriod,
): Promise<LatencyChart> {
  const text = words("dashboard-monitors").latency;
  const places = locations.length > 0 ? locations : regions;
  if (places.length > 1) {
    const [agents, ...found] = await Promise.all([
      loadPlacedAgents(ctx, { locations }),
      ...places.map((region) => listLatency(ctx, id, { period, region })),
    ]);
    const lines = found.map(({ points }, n): ChartLine => {
      const name = nameOfLocation(places[n] ?? "", agents);
      return { name, values: new Map(points.map(({ at, p50_ms }) => [at, p50_ms])) };
    });
    const named = found.map(({ tally, points }, n) => ({ name: lines[n]?.name ?? "", tally, points }));
    const tally = addTallies(found.map((each) => each.tally));
    return { period, lines, isBand: false, tally, phases: phasesOver(named) };
  }
  const { points, tally } = await listLatency(ctx, id, { period });
  return {
    period,
    tally,
    isBand: true,
    phases: phasesOver([{ name: text.mean, tally, points }]),
    lines: [
      { name: text.median, values: new Map(points.map(({ at, p50_ms }) => [at, p50_ms])) },
      { name: text.p95, values: new Map(points.map(({ at, p95_ms }) => [at, p95_ms])) },
    ],
  };
}

/** What all places measured in each step, and each of them over the period. */
function phasesOver(
  places: readonly { name: string; tally: LatencyHistogram; points: readonly LatencyPoint[] }[],
): PhaseChart {
  const measured = places.flatMap(({ points }) => points.flatMap(({ at, phases }) => (phases ? [{ at, phases }] : [])));
  const steps = [...Map.groupBy(measured, ({ at }) => at)].map(([at, found]) => {
    return { at, means: joinMeans(found.map(({ phases }) => phases)) };
  });
  return {
    lines: PHASE_NAMES.flatMap(([phase, name]): ChartLine[] => {
      const values = new Map(steps.flatMap(({ at, means }) => (means?.[phase] ? [[at, means[phase]] as const] : [])));
      return values.size === 0 ? [] : [{ name: capitalized(name), values }];
    }),
    rows: places.flatMap(({ name, tally }) => {
      const means = tally.phases && meanPhases(tally.phases);
      return means ? [{ name, means }] : [];
    }),
  };
}

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
