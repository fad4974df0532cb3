import type { RequestScope } from "../../access/scope.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import { agentLocation, agentsAmong } from "../../contract/location.ts";
import { regionName } from "../../contract/monitor-values.ts";
import { listAgentsByIds } from "../../data/agents/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import type { MeasuredResult } from "../../features/check-results/present.ts";
import { formatMilliseconds } from "../../lib/duration-format.ts";
import { Table } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { Time } from "../components/time.tsx";

export type PlacedResult = MeasuredResult & { place: string };

/** The agents among a monitor's locations, by name. */
export async function loadAgentNames({ db }: RequestScope, { locations }: Pick<MonitorRecord, "locations">) {
  const agents = await listAgentsByIds(db, agentsAmong(locations));
  return new Map(agents.map(({ id, name }) => [agentLocation(id), name]));
}

export function placeResults(rows: readonly MeasuredResult[], names: ReadonlyMap<string, string>): PlacedResult[] {
  return rows.map((result) => ({ ...result, place: names.get(result.region) ?? result.region }));
}

export interface LocationView {
  location: string;
  name: string;
  result: MeasuredResult | null;
}

/** Where agents vote, each location with what it found last; nothing of a monitor that the edge alone checks. */
export function viewLocations(
  { locations }: Pick<MonitorRecord, "locations">,
  names: ReadonlyMap<string, string>,
  results: readonly MeasuredResult[],
): LocationView[] {
  return locations.map((location) => ({
    location,
    name: nameOfLocation(location, names),
    result: results.find(({ region }) => region === location) ?? null,
  }));
}

export function nameOfLocation(location: string, names: ReadonlyMap<string, string>): string {
  return names.get(location) ?? (location === DEFAULT_REGION ? "This service" : regionName(location));
}

export function Locations({ picture: { locations, now } }: { picture: { locations: LocationView[]; now: number } }) {
  if (locations.length === 0) return null;
  return (
    <section aria-labelledby="locations">
      <h2 id="locations">Locations</h2>
      <Table caption="Locations" head={["Location", "Found", "Latency", "Checked"]} isStacked>
        {locations.map(({ name, result }) => (
          <tr>
            <th scope="row" dir="auto">
              {name}
            </th>
            <td>{result?.status ? <StatusWord status={result.status} /> : "Nothing yet"}</td>
            <td>{result?.latency_ms == null ? "–" : formatMilliseconds(result.latency_ms)}</td>
            <td>{result ? <Time at={result.checked_at} now={now} /> : "–"}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
