import type { ContactType, EscalationSummary } from "../../contract/on-call.ts";
import type { Vacancy } from "../../domain/on-call.ts";
import { hasPermission } from "../../domain/roles.ts";
import { dateIn } from "../../lib/zoned-days.ts";
import { describeTargets, nameOfPath } from "../alert-targets.ts";
import { Avatar } from "../components/avatar.tsx";
import { Bands } from "../components/bands.tsx";
import { Menu } from "../components/menu.tsx";
import { ACTIONS, PostButton, Table } from "../components/pieces.tsx";
import { ExactTime, Time } from "../components/time.tsx";
import { durationInWords } from "../formats.ts";
import type { PageChoice } from "../rights.ts";
import { words } from "../words.ts";
import { listDays, planOf, turnsOf } from "./calendar.tsx";
import type { Policy, Schedule } from "./form.ts";

/** What the view shows of on-call, of one status page or of all. */
export interface OnCallFound {
  onCallNow: readonly {
    schedule: { name: string; status_page_id: string };
    user_id: string;
    until: number | null;
  }[];
  /** Pages without an active policy. */
  unescalated: readonly PageChoice[];
  /** Those that are under way. */
  escalations: readonly (EscalationSummary & { status_page_id: string })[];
  /** Those that are shown. */
  schedules: readonly Schedule[];
  /** Of all schedules, by id. */
  scheduleNames: ReadonlyMap<string, string>;
  /** Of each schedule that is shown, by its id. */
  vacancies: ReadonlyMap<string, readonly Vacancy[]>;
  /** Those that are shown. */
  policies: readonly Policy[];
  names: Names;
}

/** Those that the caller sees. */
export interface OnCallPages {
  byId: ReadonlyMap<string, PageChoice>;
  /** Where the things of several are listed. */
  namesPages: boolean;
}

const mayChange = (page: PageChoice | undefined) =>
  page !== undefined && hasPermission(page.membership, "oncall.write");
const pathOn = (page: string) => `/app/on-call/${page}`;
/** In a list, and in a sentence. */
const NOW_MAX = 50;
const NAMED_MAX = 5;
const HOUR_SECONDS = 3600;
/** So many of the schedules that are listed are drawn. */
const DRAWN_MAX = 5;

/** By the id of the person. */
type Names = ReadonlyMap<string, string>;

interface NowProps {
  found: OnCallFound;
  pages: OnCallPages;
  now: number;
}

export function Now({ found, pages, now }: NowProps) {
  const text = words("dashboard-alerts").on_call.now;
  const { onCallNow, unescalated, escalations, vacancies } = found;
  const hasLater = [...vacancies.values()].some(([vacancy]) => vacancy?.kind === "before");
  const more = onCallNow.length - NOW_MAX;
  return (
    <>
      <section aria-labelledby="now">
        <h2 id="now">{text.title}</h2>
        {onCallNow.length === 0 ? (
          <p class="quiet">{hasLater ? text.nobody_yet : text.nobody}</p>
        ) : (
          <ul class="rows">
            {onCallNow.slice(0, NOW_MAX).map((turn) => (
              <Turn turn={turn} name={found.names.get(turn.user_id) ?? "A member"} pages={pages} />
            ))}
          </ul>
        )}
        {more > 0 ? <p class="quiet">{text.more({ n: more })}</p> : null}
        {unescalated.length > 0 ? <Unescalated of={unescalated} namesPages={pages.namesPages} /> : null}
      </section>
      {escalations.length === 0 ? null : (
        <section aria-labelledby="escalations">
          <h2 id="escalations">{text.escalated}</h2>
          <ul class="rows">
            {escalations.map((escalation) => (
              <Escalating escalation={escalation} pages={pages} now={now} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface TurnProps {
  turn: OnCallFound["onCallNow"][number];
  name: string;
  pages: OnCallPages;
}

function Turn({ turn: { schedule, until }, name, pages }: TurnProps) {
  const text = words("dashboard-alerts").on_call.now;
  const named = (
    <>
      {schedule.name}
      <OfPage id={schedule.status_page_id} pages={pages} />
    </>
  );
  return (
    <li class="row">
      <span class="with-avatar">
        <Avatar name={name} />
        <span dir="auto">{name}</span>
      </span>
      <span class="quiet">
        {until === null ? named : text.until.parts({ schedule: named, time: <ExactTime at={until} /> })}
      </span>
    </li>
  );
}

/** Says of an entry of several pages of which one it is. */
function OfPage({ id, pages: { byId, namesPages } }: { id: string; pages: OnCallPages }) {
  if (!namesPages) return null;
  return (
    <>
      {" "}
      · <bdi>{byId.get(id)?.name}</bdi>
    </>
  );
}

function Unescalated({ of, namesPages }: { of: readonly PageChoice[]; namesPages: boolean }) {
  const text = words("dashboard-alerts").on_call.unescalated;
  if (!namesPages) {
    return <p class="banner is-warn">{text.this_page}</p>;
  }
  const named = of.slice(0, NAMED_MAX);
  return (
    <p class="banner is-warn">
      {text.pages.parts({
        pages: named.map(({ id, name }, n) => (
          <>
            {n === 0 ? "" : ", "}
            <a href={`/app/on-call?page=${id}`} dir="auto">
              {name}
            </a>
          </>
        )),
        more: of.length - named.length,
      })}
    </p>
  );
}

interface EscalatingProps {
  escalation: OnCallFound["escalations"][number];
  pages: OnCallPages;
  now: number;
}

function Escalating({ escalation, pages, now }: EscalatingProps) {
  const text = words("dashboard-alerts").on_call.now;
  const { id, incident_id, title, started_at, status_page_id } = escalation;
  const page = pages.byId.get(status_page_id);
  return (
    <li class="row">
      <span dir="auto">
        {incident_id === null ? title : <a href={`/app/incidents/${incident_id}`}>{title}</a>}{" "}
        <span class="quiet">
          {text.began.parts({ time: <Time at={Date.parse(started_at)} now={now} /> })}
          <OfPage id={status_page_id} pages={pages} />
        </span>
      </span>
      {page && hasPermission(page.membership, "incidents.write") ? (
        <PostButton
          action={`${pathOn(status_page_id)}/escalations/${id}/acknowledge`}
          label={text.acknowledge}
          kind="primary"
        />
      ) : null}
    </li>
  );
}

interface SchedulesProps {
  found: OnCallFound;
  pages: OnCallPages;
  now: number;
}

export function Schedules({ found, pages, now }: SchedulesProps) {
  const text = words("dashboard-alerts").on_call.schedules;
  const { schedules, names } = found;
  const head = [
    text.head.schedule,
    ...(pages.namesPages ? [text.head.page] : []),
    text.head.turns,
    text.head.zone,
    ACTIONS,
  ];
  return (
    <section aria-labelledby="schedules">
      <h2 id="schedules">{text.title}</h2>
      {schedules.length === 0 ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <Table caption={text.title} head={head} isStacked>
          {schedules.map((schedule) => (
            <ScheduleRow schedule={schedule} found={found} pages={pages} now={now} />
          ))}
        </Table>
      )}
      {schedules
        .filter(({ is_active }) => is_active)
        .slice(0, DRAWN_MAX)
        .map((schedule) => (
          <Ahead schedule={schedule} names={names} now={now} />
        ))}
    </section>
  );
}

function ScheduleRow({ schedule, found, pages, now }: SchedulesProps & { schedule: Schedule }) {
  const text = words("dashboard-alerts").on_call;
  const { names, vacancies } = found;
  const page = pages.byId.get(schedule.status_page_id);
  const path = pathOn(schedule.status_page_id);
  return (
    <tr>
      <th scope="row" dir="auto">
        <a href={`${path}/schedules/${schedule.id}/calendar`}>{schedule.name}</a>
        {vacancies.get(schedule.id)?.map((vacancy) => (
          <VacancyNotice vacancy={vacancy} names={names} now={now} />
        ))}
      </th>
      {pages.namesPages ? <td dir="auto">{page?.name}</td> : null}
      <td class="wide">
        {schedule.rotations.map(({ user_ids, period_hours }) => (
          <p dir="auto">
            {user_ids.map((id) => names.get(id) ?? text.member).join(", ")}
            {user_ids.length > 1 ? (
              <span class="quiet">
                {" "}
                {text.schedules.turns({ period: durationInWords(period_hours * HOUR_SECONDS) })}
              </span>
            ) : null}
          </p>
        ))}
      </td>
      <td>{schedule.timezone}</td>
      <td>
        <div class="actions">
          <a class="button second" href={`${path}/schedules/${schedule.id}/calendar`}>
            {text.schedules.calendar}
          </a>
          {mayChange(page) ? (
            <Menu label={text.more({ name: schedule.name })} id={`menu-${schedule.id}`}>
              <a href={`${path}/overrides/${schedule.id}`}>{text.schedules.override}</a>
              <a href={`${path}/schedules/${schedule.id}`}>{text.edit}</a>
              <a class="danger" href={`${path}/schedules/${schedule.id}/delete`}>
                {text.delete}
              </a>
            </Menu>
          ) : null}
        </div>
      </td>
    </tr>
  );
}

function Ahead({ schedule, names, now }: { schedule: Schedule; names: Names; now: number }) {
  const text = words("dashboard-alerts").on_call;
  const plan = planOf(schedule);
  const days = listDays(plan, dateIn(plan.timezone, now));
  return (
    <div class="ahead">
      <h3 dir="auto">{text.schedules.ahead({ schedule: schedule.name })}</h3>
      <p class="quiet">{text.times({ zone: plan.timezone })}</p>
      <Bands
        id={schedule.id}
        name={schedule.name}
        days={days}
        turns={turnsOf(days)}
        names={names}
        now={now}
        zone={plan.timezone}
      />
    </div>
  );
}

/** A schedule that begins later lacks nobody; one that has a hole, or has run out, does. */
function VacancyNotice({ vacancy, names, now }: { vacancy: Vacancy; names: Names; now: number }) {
  const text = words("dashboard-alerts").on_call.vacancies;
  const { kind, from, next } = vacancy;
  if (kind === "before" && next) {
    const [time, person] = [<ExactTime at={next.at} />, names.get(next.user_id)];
    return (
      <p class="quiet" dir="auto">
        {person === undefined ? text.begins.parts({ time }) : text.begins_with.parts({ time, person })}
      </p>
    );
  }
  return (
    <p class="banner is-warn">
      {from === null ? text.nobody : null}
      {from !== null && next ? text.gap.parts({ from: <ExactTime at={from} />, to: <ExactTime at={next.at} /> }) : null}
      {from !== null && !next ? (from <= now ? text.ended : text.ends).parts({ time: <ExactTime at={from} /> }) : null}
    </p>
  );
}

interface PoliciesProps {
  found: OnCallFound;
  pages: OnCallPages;
}

export function Policies({ found, pages }: PoliciesProps) {
  const text = words("dashboard-alerts").on_call.policies;
  const { policies } = found;
  return (
    <section aria-labelledby="policies">
      <h2 id="policies">{text.title}</h2>
      {policies.length === 0 ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <ul class="rows policies">
          {policies.map((policy) => (
            <PolicyRow policy={policy} found={found} pages={pages} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** Where a step reaches a person by one kind of contact alone. */
const isWay = (type: ContactType): type is "push" | "sms" | "phone" =>
  type === "push" || type === "sms" || type === "phone";

function PolicyRow({ policy, found, pages }: PoliciesProps & { policy: Policy }) {
  const text = words("dashboard-alerts").on_call;
  const { names, scheduleNames } = found;
  const word = (contact: Policy["steps"][number]["contacts"][number]) => {
    const name = names.get(contact.value);
    const person = name !== undefined && isWay(contact.type) ? text.contacts[contact.type]({ person: name }) : name;
    const schedule = contact.type === "schedule" ? scheduleNames.get(contact.value) : undefined;
    return contact.label ?? person ?? (schedule === undefined ? contact.type : text.policies.schedule({ schedule }));
  };
  const wordAt = (path: string) => {
    const [step, contact] = (path.match(/\d+/g) ?? []).map(Number);
    const named = policy.steps[step ?? -1]?.contacts[contact ?? -1];
    return named ? word(named) : nameOfPath(path);
  };
  const page = pages.byId.get(policy.status_page_id);
  const path = `${pathOn(policy.status_page_id)}/policies/${policy.id}`;
  return (
    <li>
      <div class="row">
        <h3 dir="auto">
          {mayChange(page) ? <a href={path}>{policy.name}</a> : policy.name}{" "}
          {policy.is_default ? <span class="tag">{text.policies.active}</span> : null}
        </h3>
        <span class="actions">
          {pages.namesPages ? (
            <span class="quiet" dir="auto">
              {page?.name}
            </span>
          ) : null}
          {mayChange(page) ? (
            <Menu label={text.more({ name: policy.name })} id={`menu-${policy.id}`}>
              <a href={path}>{text.edit}</a>
              <a class="danger" href={`${path}/delete`}>
                {text.delete}
              </a>
            </Menu>
          ) : null}
        </span>
      </div>
      <Limit policy={policy} />
      <EscalationPath
        steps={policy.steps.map((step) => ({ wait: step.wait_minutes, who: step.contacts.map(word) }))}
        repeats={policy.repeat_count}
      />
      {(policy.notices ?? []).map(({ path: of, message }) => (
        <p class="banner is-warn">
          {wordAt(of)} {message}.
        </p>
      ))}
    </li>
  );
}

interface EscalationPathProps {
  /** After how many minutes, and who. */
  steps: readonly { wait: number; who: readonly string[] }[];
  repeats: number;
}

/** The way that an outage takes while nobody acknowledges. */
export function EscalationPath({ steps, repeats }: EscalationPathProps) {
  const text = words("dashboard-alerts").on_call.path;
  return (
    <ol class="path">
      {steps.map(({ wait, who }, n) => (
        <li>
          <p class="quiet">{n === 0 ? text.at_once : text.after({ wait })}</p>
          <p dir="auto">{who.join(", ")}</p>
        </li>
      ))}
      {repeats > 0 ? (
        <li class="is-end">
          <p class="quiet">{text.then}</p>
          <p>{text.again({ n: repeats })}</p>
        </li>
      ) : null}
    </ol>
  );
}

function Limit({ policy }: { policy: Policy }) {
  const text = words("dashboard-alerts").on_call.policies;
  const limit = describeTargets(policy);
  return limit === "" ? null : <p class="quiet">{text.limit({ limit })}</p>;
}
