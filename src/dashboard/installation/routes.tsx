import type { z } from "zod";
import { requireRate } from "../../access/rate-limit.ts";
import type { Capacity } from "../../contract/capacity.ts";
import type { Overview } from "../../contract/overview.ts";
import { presentCapacity } from "../../features/capacity/present.ts";
import { getCapacity } from "../../features/capacity/service.ts";
import { isOutboxShown } from "../../features/mail-outbox/service.ts";
import { presentOverview } from "../../features/overview/present.ts";
import { getOverview } from "../../features/overview/service.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { trail } from "../account/shown-once.tsx";
import { AccountTabs } from "../account/tabs.tsx";
import { Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { formatNumber } from "../formats.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { words } from "../words.ts";

type CapacityBody = z.infer<typeof Capacity>;
type Service = NonNullable<z.infer<typeof Overview>["service"]>;

const UNITS = [
  "requests",
  "messages",
  "object_requests",
  "d1_rows_read",
  "d1_rows_written",
  "d1_calls",
  "d1_bytes",
  "deliveries",
] as const;

export const endpoints = [
  view({ path: "/app/installation", summary: "Installation in the dashboard, for operators" }, async (c) => {
    const { ctx } = c.var;
    await requireRate(ctx, "heavy");
    // The verb refuses everybody else.
    const capacity = presentCapacity(await getCapacity(ctx));
    const { service } = presentOverview(await getOverview(ctx));
    const text = words("dashboard-installation");
    const alarms = service?.alarms ?? [];
    return showView(c, {
      title: text.title,
      section: "account",
      trail: trail(),
      actions: (
        <>
          <a class="button second" href="/app/installation/sign-in">
            {text.providers.title}
          </a>
          <a class="button second" href="/app/installation/sessions">
            {text.policy.title}
          </a>
          <a class="button second" href="/app/installation/networks">
            {text.networks.title}
          </a>
          <a class="button second" href="/app/installation/accounts">
            {text.accounts.title}
          </a>
          {isOutboxShown(ctx) ? (
            <a class="button second" href="/app/installation/outbox">
              {text.outbox.title}
            </a>
          ) : null}
        </>
      ),
      children: (
        <>
          <AccountTabs open="/app/installation" isOperator={true} />
          <Alarms alarms={alarms} now={c.var.now} />
          {capacity.free_plan && <Budget budget={capacity.free_plan} now={c.var.now} />}
          <Cost capacity={capacity} now={c.var.now} />
          <Limits capacity={capacity} />
          <Used capacity={capacity} now={c.var.now} />
        </>
      ),
    });
  }),
];

function Alarms({ alarms, now }: { alarms: Service["alarms"]; now: number }) {
  const text = words("dashboard-installation").alarms;
  return (
    <section class="card" aria-labelledby="alarms">
      <h2 id="alarms">{text.title}</h2>
      {alarms.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table caption={text.caption} head={[text.alarm, text.finding, text.since]}>
          {alarms.map(({ name, message, raised_at }) => (
            <tr>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{message}</td>
              <td>
                <Time at={Date.parse(raised_at)} now={now} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <p class="quiet">{text.runbook.parts({ manual: <code>docs/operate.md</code> })}</p>
    </section>
  );
}

function Budget({ budget, now }: { budget: NonNullable<CapacityBody["free_plan"]>; now: number }) {
  const text = words("dashboard-installation").budget;
  const { limits } = words("dashboard-installation");
  const { resources, check_every, day_ends_at } = budget;
  const at = <Time at={Date.parse(day_ends_at)} now={now} />;
  const first = resources.reduce((one, other) => (other.share > one.share ? other : one));
  return (
    <section class="card" aria-labelledby="budget">
      <h2 id="budget">{text.title}</h2>
      {check_every > 1 ? (
        <p>{text.spent_until.parts({ thinned: <strong>{text.thinned({ n: check_every })}</strong>, at })}</p>
      ) : (
        <p>
          {text.nearest.parts({
            resource: <strong>{text.resources_within[first.name]}</strong>,
            share: Math.round(first.share * 100),
            at,
          })}
        </p>
      )}
      <Table
        caption={text.caption}
        head={[text.resource, text.spent, text.left, limits.of, limits.share]}
        figuresFrom={1}
      >
        {resources.map(({ name, used, left, limit, share }) => (
          <tr>
            <th scope="row">{text.resources[name]}</th>
            <td class="num">{count(used)}</td>
            <td class="num">{count(left)}</td>
            <td class="num">{count(limit)}</td>
            <td class="num">{(share * 100).toFixed(1)}%</td>
          </tr>
        ))}
      </Table>
      <p class="quiet">{text.basis}</p>
    </section>
  );
}

/** What was counted in minutes, starts and set-up included, says nothing of a month. */
const PROJECTED_FROM_MS = DAY_MS;

function Cost({ capacity: { cost, monitors, counted_from }, now }: { capacity: CapacityBody; now: number }) {
  const text = words("dashboard-installation").cost;
  const from = Date.parse(counted_from);
  return (
    <section class="card" aria-labelledby="cost">
      <h2 id="cost">{text.title}</h2>
      {now - from < PROJECTED_FROM_MS ? (
        <p>
          {text.later.parts({
            at: <Time at={from + PROJECTED_FROM_MS} now={now} />,
            monitors: count(monitors.now),
          })}
        </p>
      ) : (
        <p>
          {text.now.parts({
            month: <strong>${cost.month_usd.toFixed(2)}</strong>,
            checks: `$${cost.per_million_checks_usd.toFixed(2)}`,
            monitors: count(monitors.now),
            fit: <strong>{count(monitors.fit)}</strong>,
          })}
        </p>
      )}
    </section>
  );
}

function Limits({ capacity: { limits } }: { capacity: CapacityBody }) {
  const text = words("dashboard-installation").limits;
  return (
    <section class="card" aria-labelledby="limits">
      <h2 id="limits">{text.title}</h2>
      <Table caption={text.title} head={[text.limit, text.used, text.of, text.share]} figuresFrom={1}>
        {limits.map(({ name, used, limit, share }) => (
          <tr>
            <th scope="row">{text.names[name]}</th>
            <td class="num">{count(used)}</td>
            <td class="num">{count(limit)}</td>
            <td class="num">{(share * 100).toFixed(1)}%</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Used({ capacity: { units, counted_from }, now }: { capacity: CapacityBody; now: number }) {
  const text = words("dashboard-installation").used;
  return (
    <section class="card" aria-labelledby="used">
      <h2 id="used">{text.title}</h2>
      <p class="quiet">{text.since.parts({ at: <Time at={Date.parse(counted_from)} now={now} /> })}</p>
      <Table caption={text.caption} head={[text.unit, text.count]} figuresFrom={1}>
        {UNITS.map((unit) => (
          <tr>
            <th scope="row">{text.units[unit]}</th>
            <td class="num">{count(units[unit])}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function count(value: number): string {
  return formatNumber(value, { maximumFractionDigits: 2 });
}
