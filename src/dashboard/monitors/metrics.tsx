import type { LatencyPeriod } from "../../contract/latency.ts";
import { PLAYERS, type WidgetPicture } from "../../domain/metric-widgets.ts";
import type { DrawnMetrics } from "../../features/metric-widgets/service.ts";
import { ChartFigure } from "../components/chart.tsx";
import { words } from "../words.ts";
import { periodText } from "./latency-chart.tsx";

const DECIMALS = 2;

/** The state of a game server, and the widgets that the monitor's configuration names; nothing where there are none. */
export function MetricsCard({ metrics, period }: { metrics: DrawnMetrics | null; period: LatencyPeriod }) {
  const text = words("dashboard-monitors").metrics;
  if (metrics === null || (metrics.game === null && metrics.widgets.length === 0)) return null;
  const { game, widgets } = metrics;
  const figures = widgets.filter(({ type }) => type === "stat");
  return (
    <section class="card" aria-labelledby="metrics">
      <h2 id="metrics">{text.title}</h2>
      {game || figures.length > 0 ? (
        <dl class="facts">
          {game ? (
            <>
              <Figure
                name={text.players}
                value={game.max_players === null ? game.players : `${game.players ?? "–"} / ${game.max_players}`}
              />
              <Figure name={text.most_players({ period: periodText(period) })} value={game.peak} />
              <Figure name={text.map} value={game.map} />
            </>
          ) : null}
          {figures.map((widget) => (
            <Figure name={titleOf(widget)} value={widget.last} />
          ))}
        </dl>
      ) : null}
      {game?.join_url ? (
        <p>
          <a href={game.join_url}>{text.join}</a>
        </p>
      ) : null}
      {widgets
        .filter(({ type }) => type !== "stat")
        .map((widget) => (
          <Chart widget={widget} period={period} />
        ))}
    </section>
  );
}

function Figure({ name, value }: { name: string; value: number | string | null }) {
  return (
    <div>
      <dt dir="auto">{name}</dt>
      <dd class="figure" dir="auto">
        {value ?? "–"}
      </dd>
    </div>
  );
}

function Chart({ widget, period }: { widget: WidgetPicture; period: LatencyPeriod }) {
  const text = words("dashboard-monitors").metrics;
  const title = titleOf(widget);
  const values = new Map(widget.points.map(({ at, mean }) => [at, Number(mean.toFixed(DECIMALS))]));
  return (
    <>
      <h3 dir="auto">{title}</h3>
      {values.size === 0 ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <ChartFigure
          caption={`${title}, ${periodText(period)}`}
          unit=""
          lines={[{ name: title, values }]}
          hasBars={widget.type === "bar"}
        />
      )}
    </>
  );
}

function titleOf({ title, metric }: WidgetPicture): string {
  const text = words("dashboard-monitors").metrics;
  return title || (metric === PLAYERS ? text.players : metric);
}
