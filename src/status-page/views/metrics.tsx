import type { PageTexts } from "../../language/texts.ts";
import { CHART } from "../latency-chart.ts";
import type { GameView, MetricsView, WidgetChartView } from "../metrics-view.ts";
import { SpanText, Time } from "./frame.tsx";

export function GamePanel({ game, texts }: { game: GameView; texts: PageTexts }) {
  const words = texts.metrics;
  return (
    <section class="card game" aria-label={words.game}>
      <Figures figures={game.figures} />
      {game.join_url === null ? null : (
        <p class="more">
          <a class="button" href={game.join_url} rel="nofollow noopener">
            {words.join}
          </a>
        </p>
      )}
      {game.restarts.length > 0 ? (
        <>
          <h2>{words.restarts}</h2>
          <ul class="days">
            {game.restarts.map((restart) => (
              <li>
                <SpanText of={restart} texts={texts} />
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </section>
  );
}

export function Metrics({ metrics, texts }: { metrics: MetricsView; texts: PageTexts }) {
  if (metrics.figures.length + metrics.charts.length === 0) return null;
  return (
    <section aria-labelledby="metrics">
      <h2 id="metrics">{texts.metrics.title}</h2>
      <div class="card">
        {metrics.figures.length > 0 ? <Figures figures={metrics.figures} /> : null}
        {metrics.charts.map((chart) => (
          <WidgetChart view={chart} />
        ))}
      </div>
    </section>
  );
}

function Figures({ figures }: { figures: MetricsView["figures"] }) {
  return (
    <dl class="figures">
      {figures.map(({ title, value }) => (
        <div>
          <dt class="small">
            <bdi>{title}</bdi>
          </dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function WidgetChart({ view: { title, label, chart, from, to } }: { view: WidgetChartView }) {
  return (
    <figure class="chart">
      <figcaption>
        <bdi>{title}</bdi>
      </figcaption>
      <div class="chart-area">
        <svg
          class="chart-plot"
          viewBox={`0 0 ${CHART.width} ${CHART.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
        >
          <path class="chart-line" d={`M0 .5H${CHART.width}M0 ${CHART.height - 0.5}H${CHART.width}`} />
          <path class={chart.is_filled ? "chart-bars" : "chart-median"} d={chart.path} />
        </svg>
        <bdi class="chart-top small" dir="ltr">
          {chart.top}
        </bdi>
      </div>
      <p class="row small">
        <Time moment={from} />
        <Time moment={to} />
      </p>
    </figure>
  );
}
