import type { LatencyPeriod } from "../../contract/latency.ts";
import { PLAYERS, type WidgetPicture } from "../../domain/metric-widgets.ts";
import type { DrawnMetrics } from "../../features/metric-widgets/service.ts";
import { ChartFigure } from "../components/chart.tsx";
import { PERIODS } from "./latency-chart.tsx";

const DECIMALS = 2;

/** The state of a game server, and the widgets that the monitor's configuration names; nothing where there are none. */
export function MetricsCard({ metrics, period }: { metrics: DrawnMetrics | null; period: LatencyPeriod }) {
  if (metrics === null || (metrics.game === null && metrics.widgets.length === 0)) return null;
  const { game, widgets } = metrics;
  const figures = widgets.filter(({ type }) => type === "stat");
  return (
    <section class="card" aria-labelledby="metrics">
      <h2 id="metrics">Metrics</h2>
      {game || figures.length > 0 ? (
        <dl class="facts">
          {game ? (
            <>
              <Figure
                name="Players"
                value={game.max_players === null ? game.players : `${game.players ?? "–"} / ${game.max_players}`}
              />
              <Figure name={`Most players, ${PERIODS[period]}`} value={game.peak} />
              <Figure name="Map" value={game.map} />
            </>
          ) : null}
          {figures.map((widget) => (
            <Figure name={titleOf(widget)} value={widget.last} />
          ))}
        </dl>
      ) : null}
      {game?.join_url ? (
        <p>
          <a href={game.join_url}>Join link</a>
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
  const title = titleOf(widget);
  const values = new Map(widget.points.map(({ at, mean }) => [at, Number(mean.toFixed(DECIMALS))]));
  return (
    <>
      <h3 dir="auto">{title}</h3>
      {values.size === 0 ? (
        <p class="quiet">Nothing was measured in this period.</p>
      ) : (
        <ChartFigure
          caption={`${title}, ${PERIODS[period]}`}
          unit=""
          lines={[{ name: title, values }]}
          hasBars={widget.type === "bar"}
        />
      )}
    </>
  );
}

function titleOf({ title, metric }: WidgetPicture): string {
  return title || (metric === PLAYERS ? "Players" : metric);
}
