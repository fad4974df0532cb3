import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { OverviewFound } from "../../features/overview/service.ts";
import { getOverview, listWorstMonitors } from "../../features/overview/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { isKnownTo } from "../../http/entity-tags.ts";
import { HtmlDocument, toHtml } from "../../ui/document.tsx";
import { IconShapes } from "../../ui/status-icons.tsx";
import { loadBrowserAssets } from "../browser-assets.ts";
import { StatusWord } from "../components/status-word.tsx";
import { Since, Time } from "../components/time.tsx";
import { ICON } from "../icon.ts";
import { needsAttention } from "../needs-attention.ts";
import { listOnCallNow, listWindowsAhead, type OnCallNow, type WindowAhead } from "../overview/next.ts";
import { sentenceOf } from "../overview/views.tsx";
import { listPageChoices } from "../rights.ts";
import { tagOf, VIEW_HEADERS } from "../shell.tsx";
import { words } from "../words.ts";

/** As many as a large screen shows in a size that is read from across a room. */
const NAMED_MAX = 60;
const INCIDENTS_MAX = 5;

interface Following {
  /** Its reader is not signed in, so that the display alone says what happened. */
  isAlone: boolean;
  /** Where changes are announced. */
  addresses: string;
}

interface Wall {
  now: number;
  found: OverviewFound;
  monitors: Awaited<ReturnType<typeof listWorstMonitors>>;
  on_call: OnCallNow[];
  windows: WindowAhead[];
}

/** How everything stands, dark, large and without controls; it follows changes as any live view. */
export async function showWall(c: AppContext, ctx: RequestScope, following: Following): Promise<Response> {
  const assets = await loadBrowserAssets(c.env);
  const [found, monitors, pages, windows] = await Promise.all([
    getOverview(ctx),
    listWorstMonitors(ctx, NAMED_MAX),
    listPageChoices(ctx),
    listWindowsAhead(ctx),
  ]);
  const on_call = await listOnCallNow(ctx, pages, requireUser(ctx).name);
  const content = <Content now={ctx.now} found={found} monitors={monitors} on_call={on_call} windows={windows} />;
  const tag = tagOf(`${assets.script}${assets.style}${content}`);
  const headers = { ...VIEW_HEADERS, ETag: tag };
  if (isKnownTo(c.req.header("if-none-match") ?? null, tag)) return new Response(null, { status: 304, headers });
  const { text } = sentenceOf(found.statuses);
  const document = toHtml(
    <HtmlDocument
      title={`${text} | Vigil`}
      stylesheet={assets.style}
      theme="dark"
      head={
        <>
          <meta name="robots" content="noindex" />
          <link rel="icon" type="image/svg+xml" href={ICON.address} />
          <script src={assets.wall_script} defer />
        </>
      }
    >
      <IconShapes />
      <main
        id="main"
        class="wall"
        data-follow={tag}
        data-push={following.addresses}
        data-alone={following.isAlone ? "" : undefined}
        data-measured=""
      >
        {content}
      </main>
    </HtmlDocument>,
  );
  return new Response(document, { headers });
}

function Content({ now, found, monitors, on_call, windows }: Wall) {
  const texts = words("dashboard-frame").wall;
  const total = found.statuses.reduce((sum, { count }) => sum + count, 0);
  const { status, text } = sentenceOf(found.statuses);
  return (
    <>
      <div id="wall-state" data-live>
        <h1 class={total === 0 ? "state-line" : `state-line is-${status}`}>{total === 0 ? texts.nothing : text}</h1>
        {found.checks_delayed_since === null ? null : (
          <p class="banner is-warn">
            {words("dashboard-frame").overview.delayed.parts({
              time: <Time at={found.checks_delayed_since} now={now} />,
            })}
          </p>
        )}
      </div>
      <div id="wall-monitors" data-live>
        <ul class="wall-tiles" aria-label={texts.monitors}>
          {monitors.map((monitor) => (
            <Tile monitor={monitor} now={now} />
          ))}
        </ul>
        {total > monitors.length ? <p class="quiet">{texts.more({ n: total - monitors.length })}</p> : null}
      </div>
      <div id="wall-next" class="wall-next" data-live>
        <Incidents found={found} now={now} />
        <OnCall on_call={on_call} />
        <Windows windows={windows} now={now} />
      </div>
    </>
  );
}

function Tile({ monitor, now }: { monitor: Wall["monitors"][number]; now: number }) {
  const { status, name, status_since, status_message } = monitor;
  const isBad = needsAttention(status);
  return (
    <li class={isBad ? `wall-tile is-${status}` : "wall-tile"}>
      <strong dir="auto">{name}</strong>
      <span>
        <StatusWord status={status} /> {isBad ? <Since at={status_since} now={now} /> : null}
      </span>
      {isBad && status_message ? (
        <span class="quiet cut" dir="auto">
          {status_message}
        </span>
      ) : null}
    </li>
  );
}

function Incidents({ found, now }: Pick<Wall, "found" | "now">) {
  const text = words("dashboard-frame").wall;
  if (found.open.length === 0) return null;
  const more = found.counts.open_incidents - INCIDENTS_MAX;
  return (
    <section aria-labelledby="wall-incidents">
      <h2 id="wall-incidents">{text.incidents.title({ n: found.counts.open_incidents })}</h2>
      <ul>
        {found.open.slice(0, INCIDENTS_MAX).map(({ title, started_at, acknowledged_at }) => (
          <li>
            <strong dir="auto">{title}</strong>{" "}
            <span class="quiet">
              {(acknowledged_at === null ? text.incidents.waiting : text.incidents.acknowledged).parts({
                time: <Since at={started_at} now={now} />,
              })}
            </span>
          </li>
        ))}
      </ul>
      {more > 0 ? <p class="quiet">{text.more({ n: more })}</p> : null}
    </section>
  );
}

function OnCall({ on_call }: Pick<Wall, "on_call">) {
  const text = words("dashboard-frame").wall;
  if (on_call.length === 0) return null;
  return (
    <section aria-labelledby="wall-on-call">
      <h2 id="wall-on-call">{text.on_call}</h2>
      <ul>
        {on_call.map(({ schedule, person }) => (
          <li dir="auto">
            <strong>{person ?? text.nobody}</strong> <span class="quiet">{schedule}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Windows({ windows, now }: Pick<Wall, "windows" | "now">) {
  const text = words("dashboard-frame").wall;
  if (windows.length === 0) return null;
  return (
    <section aria-labelledby="wall-maintenance">
      <h2 id="wall-maintenance">{text.maintenance}</h2>
      <ul>
        {windows.map(({ title, start_at, end_at }) => (
          <li>
            <strong dir="auto">{title}</strong>{" "}
            <span class="quiet">
              {start_at <= now ? (
                words("dashboard-frame").overview.ends.parts({ time: <Time at={end_at} now={now} /> })
              ) : (
                <Time at={start_at} now={now} />
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
