import type { MetricSample, MetricWidget } from "../contract/push.ts";
import type { Series } from "./metric-series.ts";

/** What the widgets of a monitor show, and the state of a game server; drawn by public pages and the dashboard. */
export interface MetricPicture {
  /** Null for monitors that are no game servers. */
  game: GameState | null;
  widgets: WidgetPicture[];
}

export interface GameState {
  players: number | null;
  max_players: number | null;
  /** The most players at once within the period. */
  peak: number | null;
  map: string | null;
  join_url: string | null;
}

export interface WidgetPicture extends MetricWidget {
  /** The newest value, regardless of its kind. */
  last: number | string | null;
  /** Oldest first. */
  points: Series["points"];
}

export const PLAYERS = "player_count";
const TEXT_SHOWN = 60;

interface Measured {
  widgets: readonly MetricWidget[];
  series: readonly Series[];
  last: Pick<MetricSample, "fields" | "metrics"> | null;
  game: { join_url: string | null } | null;
}

/** A game server without a widget of its players gets one, which has no title of its own. */
export function buildMetricPicture({ widgets, series, last, game }: Measured): MetricPicture {
  const pointsOf = (metric: string) => series.find((each) => each.metric === metric)?.points ?? [];
  const hasPlayers = widgets.some(({ metric }) => metric === PLAYERS);
  const players: MetricWidget[] = game && !hasPlayers ? [{ type: "line", metric: PLAYERS, title: "" }] : [];
  return {
    game: game && {
      players: numberIn(last, PLAYERS),
      max_players: numberIn(last, "max_players"),
      peak: findPeak(pointsOf(PLAYERS)),
      map: textIn(last, "map_name"),
      join_url: game.join_url,
    },
    widgets: [...players, ...widgets].map((widget) => ({
      ...widget,
      last: numberIn(last, widget.metric) ?? textIn(last, widget.metric),
      points: pointsOf(widget.metric),
    })),
  };
}

function findPeak(points: Series["points"]): number | null {
  return points.length === 0 ? null : Math.max(...points.map(({ max }) => max));
}

function valueIn(last: Measured["last"], metric: string): unknown {
  return last?.fields[metric] ?? last?.metrics[metric];
}

function numberIn(last: Measured["last"], metric: string): number | null {
  const value = valueIn(last, metric);
  return typeof value === "number" ? value : null;
}

function textIn(last: Measured["last"], metric: string): string | null {
  const value = valueIn(last, metric);
  return typeof value === "string" && value !== "" ? value.slice(0, TEXT_SHOWN) : null;
}

export interface CheckedGame {
  checked_at: number;
  details: Record<string, unknown>;
  /** The check reached the server. */
  is_success: boolean;
}

/**
 * Samples of a game server that is queried, oldest first. Results keep their details only where these changed, so a
 * successful check without any repeats those of the one before.
 */
export function sampleChecks(checks: readonly CheckedGame[]): (MetricSample & { at: number })[] {
  const samples: (MetricSample & { at: number })[] = [];
  let known: Record<string, unknown> = {};
  for (const { checked_at, details, is_success } of checks.toSorted((a, b) => a.checked_at - b.checked_at)) {
    if (!is_success) continue;
    if ("players" in details) known = details;
    const { players, max_players, map } = known;
    const fields = { [PLAYERS]: players, max_players, map_name: map };
    samples.push({ at: checked_at, fields, metrics: {} });
  }
  return samples;
}
