import type { RequestScope } from "../../access/scope.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import { agentLocation, agentOf, agentsAmong, regionsAmong } from "../../contract/location.ts";
import { REGION_PLACES } from "../../contract/regions.ts";
import { type AgentRecord, listAgentsByIds } from "../../data/agents/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import type { MeasuredResult } from "../../features/check-results/present.ts";
import { type Coordinates, countryPlace } from "../../lib/world-map.ts";
import { networkText } from "../agents/fleet.tsx";
import { LocationMap } from "../components/location-map.tsx";
import { Table } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { Time } from "../components/time.tsx";
import { formatMilliseconds } from "../formats.ts";
import { regionName } from "../registry-names.ts";
import { words } from "../words.ts";

export type PlacedResult = MeasuredResult & { place: string };

/** The agents among a monitor's locations. */
export async function loadPlacedAgents({ db }: RequestScope, { locations }: Pick<MonitorRecord, "locations">) {
  const agents = await listAgentsByIds(db, agentsAmong(locations));
  return new Map(agents.map((agent) => [agentLocation(agent.id), agent]));
}

type PlacedAgents = ReadonlyMap<string, Pick<AgentRecord, "name" | "network">>;

export function placeResults(rows: readonly MeasuredResult[], agents: PlacedAgents): PlacedResult[] {
  return rows.map((result) => ({ ...result, place: agents.get(result.region)?.name ?? result.region }));
}

export interface LocationView {
  location: string;
  name: string;
  network: string;
  /** Where that is, as far as it is known. */
  coordinates: Coordinates | null;
  result: MeasuredResult | null;
}

/** Each location with what it found last; nothing of a monitor that is checked from one place of the edge. */
export function viewLocations(
  { locations, regions }: Pick<MonitorRecord, "locations" | "regions">,
  agents: PlacedAgents,
  results: readonly MeasuredResult[],
): LocationView[] {
  const places = locations.length > 0 ? locations : regions.length > 1 ? regions : [];
  return places.map((location) => ({
    location,
    name: nameOfLocation(location, agents),
    network: agentOf(location) === null ? "Cloudflare" : networkText(agents.get(location)?.network ?? null),
    coordinates: placeOf(location, agents),
    result: results.find(({ region }) => region === location) ?? null,
  }));
}

export function nameOfLocation(location: string, agents: PlacedAgents): string {
  const text = words("dashboard-monitors").locations;
  return agents.get(location)?.name ?? (location === DEFAULT_REGION ? text.service : regionName(location));
}

function placeOf(location: string, agents: PlacedAgents): Coordinates | null {
  const [region] = regionsAmong([location]);
  if (region) return REGION_PLACES[region].coordinates;
  return countryPlace(agents.get(location)?.network?.country ?? null);
}

interface LocationsPicture {
  locations: LocationView[];
  partial_rule: string | null;
  now: number;
}

export function Locations({ picture: { locations, partial_rule, now } }: { picture: LocationsPicture }) {
  const text = words("dashboard-monitors").locations;
  if (locations.length === 0) return null;
  return (
    <section aria-labelledby="locations">
      <h2 id="locations">{text.title}</h2>
      <LocationMap locations={locations} />
      <Table
        caption={text.title}
        head={[text.location, text.found, text.latency, text.checked, text.network]}
        isStacked
      >
        {locations.map(({ name, network, result }) => (
          <tr>
            <th scope="row" dir="auto">
              {name}
            </th>
            <td>{result?.status ? <StatusWord status={result.status} /> : text.nothing}</td>
            <td>{result?.latency_ms == null ? "–" : formatMilliseconds(result.latency_ms)}</td>
            <td>{result ? <Time at={result.checked_at} now={now} /> : "–"}</td>
            <td dir="auto">{network}</td>
          </tr>
        ))}
      </Table>
      {partial_rule === null || locations.length < 2 ? null : (
        <p>
          <a href={partial_rule}>{text.partial_rule}</a>
        </p>
      )}
    </section>
  );
}
