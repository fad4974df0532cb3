import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { type Coordinates, LAND_PATH, MAP_HEIGHT, MAP_WIDTH, projectPlace, spreadPoints } from "../../lib/world-map.ts";
import { Icon } from "../../ui/status-icons.tsx";
import { statusWord } from "./status-word.tsx";

/** Of a sign, in dots of the land. */
const SIGN = 3;

interface MapProps {
  locations: readonly {
    name: string;
    coordinates: Coordinates | null;
    result: { status: MonitorStatus | null } | null;
  }[];
}

/** Where the locations are that are in a list beside it, in the state that each found; nothing where that is one place. */
export function LocationMap({ locations }: MapProps) {
  const known = locations.flatMap(({ name, coordinates, result }) =>
    coordinates === null ? [] : [{ name, status: result?.status ?? "pending", ...projectPlace(coordinates) }],
  );
  if (new Set(known.map(({ x, y }) => `${x} ${y}`)).size < 2) return null;
  return (
    <div class="location-map" dir="ltr">
      <svg viewBox={`-1 -1 ${MAP_WIDTH + 1} ${MAP_HEIGHT + 1}`} role="img" aria-label="Map of the locations">
        <path class="location-map-land" d={LAND_PATH} />
        {spreadPoints(known, SIGN).map(({ name, status, x, y }) => (
          <svg class={`location-map-place is-${status}`} x={x - SIGN / 2} y={y - SIGN / 2} width={SIGN} height={SIGN}>
            <title>{`${name}: ${statusWord(status)}`}</title>
            <Icon of={status} />
          </svg>
        ))}
      </svg>
    </div>
  );
}
