import type { RequestScope } from "../../access/scope.ts";
import type { LatencyPeriod } from "../../contract/latency.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { addTallies } from "../../domain/baseline.ts";
import { listLatency } from "../../features/latency/service.ts";
import type { ChartLine } from "../components/chart.tsx";
import type { LatencyChart } from "./latency-chart.tsx";
import { loadPlacedAgents, nameOfLocation } from "./locations.tsx";

/** The medians of each location, or of a monitor in one place the median and the slowest twentieth. */
export async function loadLatency(
  ctx: RequestScope,
  { id, regions, locations }: Pick<MonitorRecord, "id" | "regions" | "locations">,
  period: LatencyPeriod,
): Promise<LatencyChart> {
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
    return { period, lines, isBand: false, tally: addTallies(found.map(({ tally }) => tally)) };
  }
  const { points, tally } = await listLatency(ctx, id, { period });
  return {
    period,
    tally,
    isBand: true,
    lines: [
      { name: "Median", values: new Map(points.map(({ at, p50_ms }) => [at, p50_ms])) },
      { name: "95th percentile", values: new Map(points.map(({ at, p95_ms }) => [at, p95_ms])) },
    ],
  };
}
