import type { z } from "zod";
import type { BacktestResult, ConditionResult, EventRule, EventRuleVersion } from "../../contract/event-rule.ts";
import { EVENTS, isEventName } from "../../contract/events.ts";
import { hasPermission } from "../../domain/roles.ts";
import { formatDuration } from "../../lib/duration-format.ts";
import { DAY_MS, HOUR_MS } from "../../lib/durations.ts";
import { plural } from "../../lib/relative-time.ts";
import { ChartFigure } from "../components/chart.tsx";
import { Menu } from "../components/menu.tsx";
import { ACTIONS, ListPages, type ListPlace, PostButton, Table } from "../components/pieces.tsx";
import { ExactTime, Time } from "../components/time.tsx";
import { addressWith } from "../lists.ts";
import type { PageChoice } from "../rights.ts";
import { words } from "../words.ts";
import { actionsOf, conditionsOf, metricWord, operatorWord } from "./form.ts";

interface RulesProps {
  rules: readonly EventRule[];
  /** Those that the caller sees, by id. */
  pages: ReadonlyMap<string, PageChoice>;
  /** Where rules of several are listed. */
  namesPages: boolean;
  now: number;
}

export function Rules({ rules, pages, namesPages, now }: RulesProps) {
  const head = ["Rule", ...(namesPages ? ["Status page"] : []), "When", "State", "Fired", ACTIONS];
  return (
    <Table caption="Rules" head={head} isStacked>
      {rules.map((rule) => (
        <RuleRow rule={rule} page={pages.get(rule.status_page_id)} namesPages={namesPages} now={now} />
      ))}
    </Table>
  );
}

interface RowProps extends Pick<RulesProps, "namesPages" | "now"> {
  rule: EventRule;
  page: PageChoice | undefined;
}

function RuleRow({ rule, page, namesPages, now }: RowProps) {
  const path = `/app/rules/${rule.status_page_id}/${rule.id}`;
  const mayChange = page !== undefined && hasPermission(page.membership, "events.write");
  return (
    <tr>
      <th scope="row" dir="auto">
        {mayChange ? <a href={path}>{rule.display_name}</a> : rule.display_name}
      </th>
      {namesPages ? <td dir="auto">{page?.name}</td> : null}
      <td class="wide">{sentenceOf(rule)}</td>
      <td>{rule.is_enabled ? "On" : <span class="quiet">Off</span>}</td>
      <td>
        {rule.last_fired_at === null ? (
          <span class="quiet">Never</span>
        ) : (
          <Time at={Date.parse(rule.last_fired_at)} now={now} />
        )}
      </td>
      <td>
        {mayChange ? (
          <div class="actions">
            <PostButton action={`${path}/backtest`} label="Backtest" />
            <Menu label={`More for ${rule.display_name}`} id={`menu-${rule.id}`}>
              <a href={path}>Edit</a>
              <PostButton
                action={`${path}/toggle`}
                label={rule.is_enabled ? "Turn off" : "Turn on"}
                fields={{ is_enabled: String(!rule.is_enabled) }}
              />
              <a class="danger" href={`${path}/delete`}>
                Delete
              </a>
            </Menu>
          </div>
        ) : null}
      </td>
    </tr>
  );
}

interface VersionsProps {
  path: string;
  versions: readonly EventRuleVersion[];
  place: ListPlace;
  now: number;
}

export function Versions({ path, versions, place, now }: VersionsProps) {
  if (versions.length === 0) return null;
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <ul class="rows card">
        {versions.map(({ version, rule, created_at }) => (
          <li class="row">
            <span>
              Version {version}, until <Time at={Date.parse(created_at)} now={now} />
              <br />
              <span class="quiet" dir="auto">
                {rule.display_name}: {sentenceOf(rule)}
              </span>
            </span>
            <PostButton action={`${path}/restore/${version}`} label="Restore" />
          </li>
        ))}
      </ul>
      <ListPages {...place} href={(versions) => addressWith(path, { versions })} />
    </section>
  );
}

type Told = Pick<EventRule, "event_name" | "conditions" | "actions" | "classification" | "incident_template_id">;

/** The whole rule in words: "When a monitor goes down and its response time (ms) is more than 1000 over 5 min, then …" */
function sentenceOf(rule: Told): string {
  const { event_name } = rule;
  const when = isEventName(event_name) ? EVENTS[event_name].when : `${event_name} is emitted`;
  const conditions = conditionsOf(rule).map(({ metric, operator, value, window_minutes }) => {
    const over = window_minutes ? ` over ${window_minutes} min` : "";
    return ` and its ${metricWord(metric)} is ${operatorWord(operator)} ${value}${over}`;
  });
  const actions = actionsOf(rule).map((action) =>
    action.type === "trigger_runbook"
      ? "call a runbook"
      : `keep alerts quiet for ${formatDuration(action.duration_seconds)}`,
  );
  const incident = rule.incident_template_id === null ? [] : ["open an incident"];
  const told = `tell ${words("dashboard-alerts").audiences[rule.classification].replace(/^./, (letter) => letter.toLowerCase())}`;
  return `When ${when}${conditions.join("")}, then ${[...actions, ...incident, told].join(", ")}.`;
}

/** What the conditions measure now, and whether each holds. */
export function CurrentValues({ results, of }: { results: readonly ConditionResult[]; of: string }) {
  if (results.length === 0) return <p class="banner is-info">Without conditions the rule always holds.</p>;
  return (
    <div class="banner is-info" role="status">
      <p dir="auto">Right now, of {of}:</p>
      <ul>
        {results.map(({ metric, operator, value, actual, passed }) => (
          <li>
            {metricWord(metric)} is {actual === null ? "not measured" : Math.round(actual * 100) / 100},{" "}
            {operatorWord(operator)} {value}: <strong>{passed ? "holds" : "does not hold"}</strong>
          </li>
        ))}
      </ul>
    </div>
  );
}

const DAYS = [1, 7, 30] as const;

interface BacktestProps {
  result: z.output<typeof BacktestResult>;
  /** Before it there was nothing to replay. */
  since: number;
  path: string;
  now: number;
}

/** How often the rule would have fired, by the hour of a day or by the day. */
export function Backtest({ result, since, path, now }: BacktestProps) {
  const [from, to] = [Date.parse(result.from), Date.parse(result.to)];
  const step = to - from > 2 * DAY_MS ? DAY_MS : HOUR_MS;
  const first = Math.floor(from / step) * step;
  const steps = Array.from({ length: Math.ceil((to - first) / step) }, (_, n) => first + n * step);
  const counts = Map.groupBy(result.fires, (at) => Math.floor(Date.parse(at) / step) * step);
  return (
    <section class="card" aria-label="Backtest">
      <p>
        {since > from && since < to ? (
          <>
            Since <ExactTime at={since} />, when there was something to replay, it
          </>
        ) : (
          `Over ${plural(Math.round((to - from) / DAY_MS), "day")} it`
        )}{" "}
        would have fired <strong>{plural(result.would_have_fired, "time")}</strong>.
      </p>
      <div class="actions">
        {DAYS.map((days) => (
          <PostButton
            action={`${path}/backtest`}
            label={`Last ${plural(days, "day")}`}
            fields={{ days: String(days) }}
          />
        ))}
      </div>
      <ChartFigure
        caption="How often the rule would have fired"
        unit=""
        lines={[{ name: "Times", values: new Map(steps.map((at) => [at, counts.get(at)?.length ?? 0])) }]}
        hasBars
      />
      <ul class="rows">
        {result.fires.slice(0, FIRES_SHOWN).map((at) => (
          <li>
            <Time at={Date.parse(at)} now={now} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const FIRES_SHOWN = 100;
