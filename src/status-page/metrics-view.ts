import type { PagePayload } from "../contract/public-page.ts";
import { type MetricPicture, PLAYERS, type WidgetPicture } from "../domain/metric-widgets.ts";
import type { Moment, Span } from "./format.ts";
import type { Reading } from "./frame-view.ts";
import { drawWidget, type MetricChart } from "./metric-chart.ts";
import type { PublicMonitorView } from "./monitor-view.ts";

/** What is shown of the metrics of one service: the panel of a game server, figures and charts. */

export interface MetricsView {
  game: GameView | null;
  figures: { title: string; value: string }[];
  charts: WidgetChartView[];
}

export interface GameView {
  figures: { title: string; value: string }[];
  join_url: string | null;
  /** Maintenance to come, which is how a restart is planned. */
  restarts: Span[];
}

export interface WidgetChartView {
  title: string;
  label: string;
  chart: Omit<MetricChart, "top" | "bottom"> & { top: string; bottom: string };
  from: Moment;
  to: Moment;
}

const RESTARTS_SHOWN = 3;

interface Shown {
  picture: MetricPicture & { range: { from: number; to: number; step_ms: number } };
  monitor: Pick<PublicMonitorView, "id" | "status">;
  /** Of the charts, in words. */
  period: string;
  now: number;
}

export function buildMetricsView(
  { picture, monitor, period, now }: Shown,
  { maintenance }: Pick<PagePayload, "maintenance">,
  reading: Pick<Reading, "texts" | "formats">,
): MetricsView {
  const { formats, texts } = reading;
  const words = texts.metrics;
  const titleOf = ({ metric, title }: WidgetPicture) => title || (metric === PLAYERS ? words.players : metric);
  const { range } = picture;
  const charts = picture.widgets
    .filter(({ type }) => type !== "stat")
    .flatMap((widget): WidgetChartView[] => {
      const chart = drawWidget(widget, range);
      if (chart === null) return [];
      const title = titleOf(widget);
      const edges = { top: formats.number(chart.top), bottom: formats.number(chart.bottom) };
      const label = words.chart({ title, period });
      return [
        { title, label, chart: { ...chart, ...edges }, from: formats.moment(range.from), to: formats.moment(now) },
      ];
    });
  const figures = picture.widgets
    .filter(({ type }) => type === "stat")
    .map((widget) => ({ title: titleOf(widget), value: formatValue(widget.last, formats) }));
  return {
    game: picture.game && viewGame(picture.game, { monitor, maintenance, period, now }, reading),
    figures,
    charts,
  };
}

function viewGame(
  { players, max_players, peak, map, join_url }: NonNullable<MetricPicture["game"]>,
  { monitor, maintenance, period, now }: Omit<Shown, "picture"> & Pick<PagePayload, "maintenance">,
  { formats, texts }: Pick<Reading, "texts" | "formats">,
): GameView {
  const words = texts.metrics;
  // The last ones that were counted say nothing of a server that does not answer.
  const isKnown = monitor.status === "up" || monitor.status === "degraded";
  const count = (value: number | null) => (value === null ? "–" : formats.number(value));
  const present = max_players === null ? count(players) : `${count(players)} / ${count(max_players)}`;
  const windows = maintenance.filter(({ monitor_ids }) => monitor_ids.includes(monitor.id));
  return {
    figures: [
      { title: words.players, value: isKnown ? present : "–" },
      { title: words.peak({ period }), value: count(peak) },
      ...(map === null || !isKnown ? [] : [{ title: words.map, value: map }]),
    ],
    join_url,
    restarts: windows
      .flatMap(({ upcoming }) => upcoming)
      .filter(({ end_at }) => end_at > now)
      .toSorted((a, b) => a.start_at - b.start_at)
      .slice(0, RESTARTS_SHOWN)
      .map(({ start_at, end_at }) => formats.span(start_at, end_at)),
  };
}

function formatValue(value: WidgetPicture["last"], { number }: Reading["formats"]): string {
  if (value === null) return "–";
  return typeof value === "number" ? number(value) : value;
}
