import type { z } from "zod";
import type { BacktestResult, ConditionResult, EventRule, EventRuleVersion } from "../../contract/event-rule.ts";
import { isEventName } from "../../contract/events.ts";
import { hasPermission } from "../../domain/roles.ts";
import { DAY_MS, HOUR_MS } from "../../lib/durations.ts";
import { ChartFigure } from "../components/chart.tsx";
import { Menu } from "../components/menu.tsx";
import { ACTIONS, ListPages, type ListPlace, PostButton, Table } from "../components/pieces.tsx";
import { ExactTime, Time } from "../components/time.tsx";
import { formatDuration } from "../formats.ts";
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
  const text = words("dashboard-alerts").rules.list;
  const head = [
    text.head.rule,
    ...(namesPages ? [text.head.page] : []),
    text.head.when,
    text.head.state,
    text.head.fired,
    ACTIONS,
  ];
  return (
    <Table caption={text.title} head={head} isStacked>
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
  const text = words("dashboard-alerts").rules.list;
  const path = `/app/rules/${rule.status_page_id}/${rule.id}`;
  const mayChange = page !== undefined && hasPermission(page.membership, "events.write");
  return (
    <tr>
      <th scope="row" dir="auto">
        {mayChange ? <a href={path}>{rule.display_name}</a> : rule.display_name}
      </th>
      {namesPages ? <td dir="auto">{page?.name}</td> : null}
      <td class="wide">{sentenceOf(rule)}</td>
      <td>{rule.is_enabled ? text.on : <span class="quiet">{text.off}</span>}</td>
      <td>
        {rule.last_fired_at === null ? (
          <span class="quiet">{text.never}</span>
        ) : (
          <Time at={Date.parse(rule.last_fired_at)} now={now} />
        )}
      </td>
      <td>
        {mayChange ? (
          <div class="actions">
            <PostButton action={`${path}/backtest`} label={text.backtest} />
            <Menu label={text.more({ rule: rule.display_name })} id={`menu-${rule.id}`}>
              <a href={path}>{text.edit}</a>
              <PostButton
                action={`${path}/toggle`}
                label={rule.is_enabled ? text.turn_off : text.turn_on}
                fields={{ is_enabled: String(!rule.is_enabled) }}
              />
              <a class="danger" href={`${path}/delete`}>
                {text.delete}
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
  const text = words("dashboard-alerts").rules.versions;
  if (versions.length === 0) return null;
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">{text.title}</h2>
      <ul class="rows card">
        {versions.map(({ version, rule, created_at }) => (
          <li class="row">
            <span>
              {text.version.parts({ version, time: <Time at={Date.parse(created_at)} now={now} /> })}
              <br />
              <span class="quiet" dir="auto">
                {rule.display_name}: {sentenceOf(rule)}
              </span>
            </span>
            <PostButton action={`${path}/restore/${version}`} label={text.restore} />
          </li>
        ))}
      </ul>
      <ListPages {...place} href={(versions) => addressWith(path, { versions })} />
    </section>
  );
}

type Described = Pick<EventRule, "event_name" | "conditions" | "actions" | "classification" | "incident_template_id">;

/** The whole rule in words: "When a monitor goes down and its response time (ms) is more than 1000 over 5 min, then …" */
function sentenceOf(rule: Described): string {
  const text = words("dashboard-alerts").rules.sentence;
  const { event_name } = rule;
  const event = isEventName(event_name)
    ? words("dashboard-registries").events[event_name].when
    : text.emitted({ event: event_name });
  const conditions = conditionsOf(rule).map(({ metric, operator, value, window_minutes }) => {
    const condition = { metric: metricWord(metric), operator: operatorWord(operator), value };
    return window_minutes ? text.condition_over({ ...condition, n: window_minutes }) : text.condition(condition);
  });
  const actions = actionsOf(rule).map((action) =>
    action.type === "trigger_runbook"
      ? text.runbook
      : text.quiet({ duration: formatDuration(action.duration_seconds) }),
  );
  const incident = rule.incident_template_id === null ? [] : [text.incident];
  return text.whole({
    when: [event, ...conditions].join(" "),
    actions: [...actions, ...incident, text.notify[rule.classification]].join(", "),
  });
}

/** What the conditions measure now, and whether each holds. */
export function CurrentValues({ results, of }: { results: readonly ConditionResult[]; of: string }) {
  const text = words("dashboard-alerts").rules.values;
  if (results.length === 0) return <p class="banner is-info">{text.none}</p>;
  return (
    <div class="banner is-info" role="status">
      <p dir="auto">{text.title({ monitor: of })}</p>
      <ul>
        {results.map((result) => (
          <li>{verdictOn(result)}</li>
        ))}
      </ul>
    </div>
  );
}

function verdictOn({ metric, operator, value, actual, passed }: ConditionResult) {
  const text = words("dashboard-alerts").rules.values;
  const verdict = <strong>{passed ? text.holds : text.fails}</strong>;
  const condition = { metric: metricWord(metric), operator: operatorWord(operator), value, verdict };
  if (actual === null) return text.unmeasured.parts(condition);
  return text.measured.parts({ ...condition, actual: Math.round(actual * 100) / 100 });
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
  const text = words("dashboard-alerts").rules.backtest;
  const [from, to] = [Date.parse(result.from), Date.parse(result.to)];
  const step = to - from > 2 * DAY_MS ? DAY_MS : HOUR_MS;
  const first = Math.floor(from / step) * step;
  const steps = Array.from({ length: Math.ceil((to - first) / step) }, (_, n) => first + n * step);
  const times = <strong>{text.times({ n: result.would_have_fired })}</strong>;
  const counts = Map.groupBy(result.fires, (at) => Math.floor(Date.parse(at) / step) * step);
  return (
    <section class="card" aria-label={text.title}>
      <p>
        {since > from && since < to
          ? text.since.parts({ time: <ExactTime at={since} />, times })
          : text.over.parts({ n: Math.round((to - from) / DAY_MS), times })}
      </p>
      <div class="actions">
        {DAYS.map((days) => (
          <PostButton action={`${path}/backtest`} label={text.last({ n: days })} fields={{ days: String(days) }} />
        ))}
      </div>
      <ChartFigure
        caption={text.chart}
        unit=""
        lines={[{ name: text.times_axis, values: new Map(steps.map((at) => [at, counts.get(at)?.length ?? 0])) }]}
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
