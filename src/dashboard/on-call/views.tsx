import type { z } from "zod";
import type { ActiveOnCall, EscalationSummary } from "../../contract/on-call.ts";
import type { Vacancy } from "../../domain/on-call.ts";
import { durationInWords } from "../../lib/duration-format.ts";
import { dateIn } from "../../lib/zoned-days.ts";
import { describeTargets, nameOfPath } from "../alert-targets.ts";
import { Avatar } from "../components/avatar.tsx";
import { Bands } from "../components/bands.tsx";
import { Menu } from "../components/menu.tsx";
import { ACTIONS, PostButton, Table } from "../components/pieces.tsx";
import { ExactTime, Time } from "../components/time.tsx";
import { listDays, planOf, turnsOf } from "./calendar.tsx";
import { contactKey, type Policy, type Schedule } from "./form.ts";

/** Everything about on-call of one page. */
export interface OnCallFound {
  active: z.output<typeof ActiveOnCall>;
  schedules: readonly Schedule[];
  /** Of each schedule, by its id. */
  vacancies: ReadonlyMap<string, readonly Vacancy[]>;
  policies: readonly Policy[];
  escalations: readonly EscalationSummary[];
}
const HOUR_SECONDS = 3600;
/** So many schedules are drawn where all of a page are listed. */
const DRAWN_MAX = 5;

/** By the id of the person. */
type Names = ReadonlyMap<string, string>;

interface NowProps {
  found: OnCallFound;
  names: Names;
  now: number;
  page: string;
  may_acknowledge: boolean;
}

export function Now({ found, names, now, page, may_acknowledge }: NowProps) {
  const { active, escalations } = found;
  const open = escalations.filter(({ status }) => ["waiting", "active", "snoozed"].includes(status));
  const hasLater = [...found.vacancies.values()].some(([vacancy]) => vacancy?.kind === "before");
  return (
    <>
      <section aria-labelledby="now">
        <h2 id="now">On call now</h2>
        {active.on_call_now.length === 0 ? (
          <p class="quiet">{hasLater ? "No one is on call yet." : "No one is on call."}</p>
        ) : (
          <ul class="rows">
            {active.on_call_now.map(({ user_id, until, schedule_id }) => (
              <li class="row">
                <span class="with-avatar">
                  <Avatar name={names.get(user_id) ?? "A member"} />
                  <span dir="auto">{names.get(user_id) ?? "A member"}</span>
                </span>
                <span class="quiet">
                  {found.schedules.find(({ id }) => id === schedule_id)?.name}
                  {until === null ? "" : ", until "}
                  {until === null ? null : <ExactTime at={Date.parse(until)} />}
                </span>
              </li>
            ))}
          </ul>
        )}
        {active.policy === null ? (
          <p class="banner is-warn">No escalation policy is active: outages of this page notify nobody on call.</p>
        ) : null}
      </section>
      {open.length === 0 ? null : (
        <section aria-labelledby="escalations">
          <h2 id="escalations">Being escalated</h2>
          <ul class="rows">
            {open.map((escalation) => (
              <li class="row">
                <span dir="auto">
                  {escalation.incident_id === null ? (
                    escalation.title
                  ) : (
                    <a href={`/app/incidents/${escalation.incident_id}`}>{escalation.title}</a>
                  )}{" "}
                  <span class="quiet">
                    began <Time at={Date.parse(escalation.started_at)} now={now} />
                  </span>
                </span>
                {may_acknowledge ? (
                  <PostButton
                    action={`/app/on-call/${page}/escalations/${escalation.id}/acknowledge`}
                    label="Acknowledge"
                    kind="primary"
                  />
                ) : null}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface SchedulesProps {
  schedules: readonly Schedule[];
  vacancies: ReadonlyMap<string, readonly Vacancy[]>;
  names: Names;
  now: number;
  path: string;
  may_change: boolean;
}

export function Schedules({ schedules, vacancies, names, now, path, may_change }: SchedulesProps) {
  return (
    <section aria-labelledby="schedules">
      <h2 id="schedules">Schedules</h2>
      {schedules.length === 0 ? (
        <p class="quiet">None yet. A schedule says who is on call when, in turns.</p>
      ) : (
        <Table caption="Schedules" head={["Schedule", "Turns", "Time zone", ACTIONS]} isStacked>
          {schedules.map((schedule) => (
            <tr>
              <th scope="row" dir="auto">
                <a href={`${path}/schedules/${schedule.id}/calendar`}>{schedule.name}</a>
                {vacancies.get(schedule.id)?.map((vacancy) => (
                  <VacancyNotice vacancy={vacancy} names={names} now={now} />
                ))}
              </th>
              <td class="wide">
                {schedule.rotations.map(({ user_ids, period_hours }) => (
                  <p dir="auto">
                    {user_ids.map((id) => names.get(id) ?? "A member").join(", ")}
                    {user_ids.length > 1 ? (
                      <span class="quiet"> in turns of {durationInWords(period_hours * HOUR_SECONDS)}</span>
                    ) : null}
                  </p>
                ))}
              </td>
              <td>{schedule.timezone}</td>
              <td>
                <div class="actions">
                  <a class="button second" href={`${path}/schedules/${schedule.id}/calendar`}>
                    Calendar
                  </a>
                  {may_change ? (
                    <Menu label={`More for ${schedule.name}`} id={`menu-${schedule.id}`}>
                      <a href={`${path}/overrides/${schedule.id}`}>Override</a>
                      <a href={`${path}/schedules/${schedule.id}`}>Edit</a>
                      <a class="danger" href={`${path}/schedules/${schedule.id}/delete`}>
                        Delete
                      </a>
                    </Menu>
                  ) : null}
                </div>
              </td>
            </tr>
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

function Ahead({ schedule, names, now }: { schedule: Schedule; names: Names; now: number }) {
  const plan = planOf(schedule);
  const days = listDays(plan, dateIn(plan.timezone, now));
  return (
    <>
      <h3 dir="auto">{schedule.name}: next 14 days</h3>
      <p class="quiet">Times in {plan.timezone}</p>
      <Bands
        id={schedule.id}
        name={schedule.name}
        days={days}
        turns={turnsOf(days)}
        names={names}
        now={now}
        zone={plan.timezone}
      />
    </>
  );
}

/** A schedule that begins later lacks nobody; one that has a hole, or has run out, does. */
function VacancyNotice({ vacancy, names, now }: { vacancy: Vacancy; names: Names; now: number }) {
  const { kind, from, next } = vacancy;
  if (kind === "before" && next) {
    return (
      <p class="quiet" dir="auto">
        Begins <ExactTime at={next.at} /> with {names.get(next.user_id) ?? "a member"}.
      </p>
    );
  }
  return (
    <p class="banner is-warn">
      {from === null ? "No one is planned." : null}
      {from !== null && next ? (
        <>
          No one is on call from <ExactTime at={from} /> to <ExactTime at={next.at} />.
        </>
      ) : null}
      {from !== null && !next ? (
        <>
          {from <= now ? "Ended" : "Ends"} <ExactTime at={from} />: no one is planned after that.
        </>
      ) : null}
    </p>
  );
}

interface PoliciesProps {
  found: OnCallFound;
  /** Those that are shown. */
  policies: readonly Policy[];
  names: Names;
  path: string;
  may_change: boolean;
}

export function Policies({ found, policies, names, path, may_change }: PoliciesProps) {
  const schedules = new Map(found.schedules.map(({ id, name }) => [`schedule:${id}`, `schedule ${name}`]));
  const word = (contact: Policy["steps"][number]["contacts"][number]) => {
    const name = names.get(contact.value);
    const person = name !== undefined && contact.type === "push" ? `${name}, phone alone` : name;
    return contact.label ?? person ?? schedules.get(contactKey(contact)) ?? contact.type;
  };
  const wordAt = ({ steps }: Policy, path: string) => {
    const [step, contact] = (path.match(/\d+/g) ?? []).map(Number);
    const named = steps[step ?? -1]?.contacts[contact ?? -1];
    return named ? word(named) : nameOfPath(path);
  };
  return (
    <section aria-labelledby="policies">
      <h2 id="policies">Escalation policies</h2>
      {policies.length === 0 ? (
        <p class="quiet">None yet. A policy says who is notified first, and who next while nobody acknowledges.</p>
      ) : (
        <ul class="rows policies">
          {policies.map((policy) => (
            <li>
              <div class="row">
                <h3 dir="auto">
                  {may_change ? <a href={`${path}/policies/${policy.id}`}>{policy.name}</a> : policy.name}{" "}
                  {policy.is_default ? <span class="tag">Active</span> : null}
                </h3>
                {may_change ? (
                  <Menu label={`More for ${policy.name}`} id={`menu-${policy.id}`}>
                    <a href={`${path}/policies/${policy.id}`}>Edit</a>
                    <a class="danger" href={`${path}/policies/${policy.id}/delete`}>
                      Delete
                    </a>
                  </Menu>
                ) : null}
              </div>
              <Limit policy={policy} />
              <EscalationPath
                steps={policy.steps.map((step) => ({ wait: step.wait_minutes, who: step.contacts.map(word) }))}
                repeats={policy.repeat_count}
              />
              {(policy.notices ?? []).map(({ path, message }) => (
                <p class="banner is-warn">
                  {wordAt(policy, path)} {message}.
                </p>
              ))}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface EscalationPathProps {
  /** After how many minutes, and who. */
  steps: readonly { wait: number; who: readonly string[] }[];
  repeats: number;
}

/** The way that an outage takes while nobody acknowledges. */
export function EscalationPath({ steps, repeats }: EscalationPathProps) {
  return (
    <ol class="path">
      {steps.map(({ wait, who }, n) => (
        <li>
          <p class="quiet">{n === 0 ? "At once" : `After ${wait} min`}</p>
          <p dir="auto">{who.join(", ")}</p>
        </li>
      ))}
      {repeats > 0 ? (
        <li class="is-end">
          <p class="quiet">Then</p>
          <p>all of it again, {repeats === 1 ? "once" : `${repeats} times`}</p>
        </li>
      ) : null}
    </ol>
  );
}

function Limit({ policy }: { policy: Policy }) {
  const limit = describeTargets(policy);
  return limit === "" ? null : <p class="quiet">For {limit}, in place of the active policy.</p>;
}
