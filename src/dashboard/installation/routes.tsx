import type { z } from "zod";
import { requireRate } from "../../access/rate-limit.ts";
import type { Capacity, FreeResource } from "../../contract/capacity.ts";
import type { Overview } from "../../contract/overview.ts";
import { presentCapacity } from "../../features/capacity/present.ts";
import { getCapacity } from "../../features/capacity/service.ts";
import { isOutboxShown } from "../../features/mail-outbox/service.ts";
import { presentOverview } from "../../features/overview/present.ts";
import { getOverview } from "../../features/overview/service.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { AccountTabs } from "../account/tabs.tsx";
import { Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";

type CapacityBody = z.infer<typeof Capacity>;
type Service = NonNullable<z.infer<typeof Overview>["service"]>;

const UNITS: Record<keyof CapacityBody["units"], string> = {
  requests: "Worker requests",
  messages: "Queue messages",
  object_requests: "Object requests",
  d1_rows_read: "Database rows read",
  d1_rows_written: "Database rows written",
  d1_calls: "Database round trips",
  d1_bytes: "Database bytes",
  deliveries: "Delivery attempts",
};

const LIMITS: Record<CapacityBody["limits"][number]["name"], string> = {
  d1_bytes: "Database bytes",
  checks_per_second: "Checks per second",
  messages_per_second: "Queue messages per second",
};

export const endpoints = [
  view({ path: "/app/installation", summary: "Installation in the dashboard, for operators" }, async (c) => {
    const { ctx } = c.var;
    await requireRate(ctx, "heavy");
    // The verb refuses everybody else.
    const capacity = presentCapacity(await getCapacity(ctx));
    const { service } = presentOverview(await getOverview(ctx));
    const alarms = service?.alarms ?? [];
    return showView(c, {
      title: "Installation",
      section: "account",
      trail: [{ href: "/app/account", text: "Account" }],
      actions: (
        <>
          <a class="button second" href="/app/installation/sign-in">
            Sign-in providers
          </a>
          <a class="button second" href="/app/installation/sessions">
            Session policy
          </a>
          <a class="button second" href="/app/installation/networks">
            Allowed networks
          </a>
          <a class="button second" href="/app/installation/accounts">
            Deactivated accounts
          </a>
          {isOutboxShown(ctx) ? (
            <a class="button second" href="/app/installation/outbox">
              Outbox
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
  return (
    <section class="card" aria-labelledby="alarms">
      <h2 id="alarms">Alarms</h2>
      {alarms.length === 0 ? (
        <p>No alarm is raised.</p>
      ) : (
        <Table caption="Alarms that are raised" head={["Alarm", "Finding", "Since"]}>
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
      <p class="quiet">
        The runbook in <code>docs/operate.md</code> has a section for each alarm.
      </p>
    </section>
  );
}

const RESOURCES: Record<FreeResource, string> = {
  worker_requests: "Worker requests",
  queue_operations: "Queue operations",
  d1_rows_read: "Database rows read",
  d1_rows_written: "Database rows written",
  object_requests: "Object requests",
  object_rows_written: "Object rows written",
  object_gb_seconds: "Object duration, GB s",
  kv_reads: "Cache reads",
  kv_writes: "Cache writes",
};

function Budget({ budget, now }: { budget: NonNullable<CapacityBody["free_plan"]>; now: number }) {
  const { resources, check_every, day_ends_at } = budget;
  const first = resources.reduce((one, other) => (other.share > one.share ? other : one));
  return (
    <section class="card" aria-labelledby="budget">
      <h2 id="budget">Today on the Workers Free plan</h2>
      {check_every > 1 ? (
        <p>
          <strong>Checks are thinned out: one of {check_every} is made.</strong> The day's budget is spent; the next one
          begins <Time at={Date.parse(day_ends_at)} now={now} />.
        </p>
      ) : (
        <p>
          Nearest to its limit: <strong>{RESOURCES[first.name].toLowerCase()}</strong>, with{" "}
          {Math.round(first.share * 100)} % of the day's budget spent. The next day begins{" "}
          <Time at={Date.parse(day_ends_at)} now={now} />.
        </p>
      )}
      <Table caption="Budget of the day" head={["Resource", "Spent", "Left", "Of", "Share"]} figuresFrom={1}>
        {resources.map(({ name, used, left, limit, share }) => (
          <tr>
            <th scope="row">{RESOURCES[name]}</th>
            <td class="num">{count(used)}</td>
            <td class="num">{count(left)}</td>
            <td class="num">{count(limit)}</td>
            <td class="num">{(share * 100).toFixed(1)} %</td>
          </tr>
        ))}
      </Table>
      <p class="quiet">
        Estimated from what the service counted itself, since midnight UTC. The budget is nine tenths of what Cloudflare
        gives an account; what else runs on the account is not counted. From 80 % on operators are warned; at 100 %
        checks are thinned out evenly.
      </p>
    </section>
  );
}

/** What was counted in minutes, starts and set-up included, says nothing of a month. */
const PROJECTED_FROM_MS = DAY_MS;

function Cost({ capacity: { cost, monitors, counted_from }, now }: { capacity: CapacityBody; now: number }) {
  const from = Date.parse(counted_from);
  return (
    <section class="card" aria-labelledby="cost">
      <h2 id="cost">Cost and room</h2>
      {now - from < PROJECTED_FROM_MS ? (
        <p>
          What a month costs, and how many more monitors fit, appears once a whole day has been counted:{" "}
          <Time at={from + PROJECTED_FROM_MS} now={now} />. {count(monitors.now)} monitors exist.
        </p>
      ) : (
        <p>
          A month like the counted time costs about <strong>${cost.month_usd.toFixed(2)}</strong> on the Workers Paid
          plan, a million checks ${cost.per_million_checks_usd.toFixed(2)}. {count(monitors.now)} monitors exist;{" "}
          <strong>{count(monitors.fit)}</strong> more of their kind fit.
        </p>
      )}
    </section>
  );
}

function Limits({ capacity: { limits } }: { capacity: CapacityBody }) {
  return (
    <section class="card" aria-labelledby="limits">
      <h2 id="limits">Limits of the platform</h2>
      <Table caption="Limits of the platform" head={["Limit", "Used", "Of", "Share"]} figuresFrom={1}>
        {limits.map(({ name, used, limit, share }) => (
          <tr>
            <th scope="row">{LIMITS[name]}</th>
            <td class="num">{count(used)}</td>
            <td class="num">{count(limit)}</td>
            <td class="num">{(share * 100).toFixed(1)} %</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Used({ capacity: { units, counted_from }, now }: { capacity: CapacityBody; now: number }) {
  return (
    <section class="card" aria-labelledby="used">
      <h2 id="used">Used</h2>
      <p class="quiet">
        Counted since <Time at={Date.parse(counted_from)} now={now} />.
      </p>
      <Table caption="Units used" head={["Unit", "Count"]} figuresFrom={1}>
        {(Object.keys(UNITS) as (keyof typeof UNITS)[]).map((unit) => (
          <tr>
            <th scope="row">{UNITS[unit]}</th>
            <td class="num">{count(units[unit])}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function count(value: number): string {
  return value.toLocaleString("en-GB", { maximumFractionDigits: 2 });
}
