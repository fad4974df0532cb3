import type { WatchedThing } from "../../domain/watched-things.ts";
import { FieldRow, FormProblem } from "../components/fields.tsx";
import { Table } from "../components/pieces.tsx";
import type { FormField, Option } from "../form-fields.ts";
import { AllowNetwork } from "../installation/networks-routes.tsx";
import { typeName } from "../registry-names.ts";
import type { View } from "../shell.tsx";
import { words } from "../words.ts";
import { Tested } from "./form-views.tsx";
import { OneField, WATCH_PATH } from "./one-field.tsx";
import type { TestResult } from "./test-result.ts";

/** What one check of a thing found, or why it could not be checked, as a sentence. */
export type Look = { results: readonly TestResult[] } | { refused: string } | null;

interface Proposal {
  /** Its place among all that was found. */
  n: number;
  thing: WatchedThing;
  look: Look;
  problem: string | undefined;
  isPicked: boolean;
}

interface Proposals {
  /** As it was pasted. */
  what: string;
  proposals: readonly Proposal[];
  more: number;
  unread: readonly string[];
  /** Places of those that are watched already. */
  done: readonly number[];
  /** Of the form as a whole. */
  problem: string | undefined;
  /** What has just become of others. */
  said: string | undefined;
  /** What an operator may allow, so that more is reached. */
  network: string | null;
  intervals: readonly Option[];
  interval: string;
  pages: readonly Option[];
  page: string;
  /** Nothing but the team's mail says when something is down. */
  offersPhone: boolean;
}

const watchTrail = () => {
  const text = words("dashboard-monitors").watch;
  return [{ href: "/app/monitors", text: text.monitors }];
};

export function watchView(what: string, problem?: string): View {
  const text = words("dashboard-monitors").watch;
  return {
    title: text.title,
    section: "monitors",
    isNarrow: true,
    trail: watchTrail(),
    hasProblem: problem !== undefined,
    ...(problem === undefined ? {} : { status: 400 }),
    children: <OneField value={what} problem={problem} isAlone />,
  };
}

export function proposalsView(shown: Proposals): View {
  const text = words("dashboard-monitors").watch;
  const { proposals, done, problem, said } = shown;
  const [only] = proposals.length + done.length === 1 ? proposals : [];
  const things = proposals.map(({ thing }) => thing);
  const isRefused = problem !== undefined || proposals.some((each) => each.problem !== undefined);
  return {
    title: only ? text.watch({ name: only.thing.name }) : text.watch_several({ n: things.length }),
    section: "monitors",
    isNarrow: only !== undefined,
    trail: watchTrail(),
    hasProblem: isRefused,
    ...(isRefused ? { status: 400 } : {}),
    children: (
      <>
        {said === undefined ? null : (
          <p class="banner is-good" role="status">
            {said}
          </p>
        )}
        <form method="post" action={WATCH_PATH} class="card" data-typed novalidate>
          <input type="hidden" name="what" value={shown.what} />
          {done.map((n) => (
            <input type="hidden" name="done" value={n} />
          ))}
          <FormProblem problems={problem === undefined ? {} : { "": problem }} />
          {only ? <One {...only} network={shown.network} /> : <Several {...shown} />}
          {only || shown.network === null ? null : <AllowNetwork network={shown.network} />}
          <div class="fields">
            {things.some(({ type }) => type !== "heartbeat") ? (
              <FieldRow field={intervalField(shown.intervals)} values={{ interval: shown.interval }} problems={{}} />
            ) : null}
            <FieldRow field={pageField(shown.pages)} values={{ status_page_id: shown.page }} problems={{}} />
            <Besides things={things} />
            {shown.offersPhone ? (
              <FieldRow
                field={{ name: "phone", label: text.phone, kind: "checkbox", hint: text.phone_hint }}
                values={{}}
                problems={{}}
              />
            ) : null}
          </div>
          <p class="actions">
            <button type="submit" name="intent" value="add">
              {only ? text.start : text.chosen}
            </button>
            {only ? (
              <button type="submit" class="second" formaction="/app/monitors/new" name="intent" value="fields">
                {text.all_settings}
              </button>
            ) : null}
            <a class="button second" href="/app/monitors">
              {text.cancel}
            </a>
          </p>
        </form>
      </>
    ),
  };
}

const intervalField = (options: readonly Option[]): FormField => ({
  name: "interval",
  label: words("dashboard-monitors").watch.interval,
  kind: "select",
  options,
});

const pageField = (options: readonly Option[]): FormField => ({
  name: "status_page_id",
  label: words("dashboard-monitors").watch.page,
  kind: "select",
  options,
  empty: words("dashboard-monitors").watch.none,
});

function One({ thing, look, problem, network }: Proposal & Pick<Proposals, "network">) {
  const text = words("dashboard-monitors").watch;
  const { type, name, target, fields } = thing;
  return (
    <>
      <p class="lead" dir="auto">
        <span class="tag">{typeName(type)}</span> {target ?? fields.schedule ?? text.job}
      </p>
      {network === null || problem !== undefined ? <LookShown look={look} problem={problem} /> : null}
      {network === null ? null : <AllowNetwork network={network} />}
      <input type="hidden" name="pick" value="0" />
      {Object.entries({ type, ...(target === null ? {} : { target }), ...fields }).map(([field, value]) => (
        <input type="hidden" name={field} value={value} />
      ))}
      {type === "heartbeat" ? (
        <input type="hidden" name="rhythm" value={fields.schedule === undefined ? "daily" : "cron"} />
      ) : null}
      <FieldRow field={{ name: "name", label: text.name, kind: "text" }} values={{ name }} problems={{}} />
    </>
  );
}

function LookShown({ look, problem }: { look: Look; problem: string | undefined }) {
  if (problem !== undefined) {
    return (
      <p class="problem banner is-bad" role="alert" dir="auto">
        {problem}
      </p>
    );
  }
  if (look === null) return null;
  if ("results" in look) return <Tested results={look.results} />;
  return (
    <p class="banner is-warn" role="status" dir="auto">
      {look.refused}
    </p>
  );
}

function Several({ proposals, more, unread }: Proposals) {
  const text = words("dashboard-monitors").watch;
  return (
    <>
      {unread.length > 0 ? (
        <p class="banner is-info" dir="auto">
          {text.unread({ n: unread.length, lines: unread.slice(0, UNREAD_NAMED).join(" · ") })}
        </p>
      ) : null}
      {more > 0 ? <p class="banner is-info">{text.more({ n: more })}</p> : null}
      <Table caption={text.found} head={[text.watch_column, text.name, text.type, text.target, text.look]} isStacked>
        {proposals.map(({ n, thing: { type, name, target, fields }, look, problem, isPicked }) => (
          <tr>
            <td>
              <label class="pick">
                <input type="checkbox" name="pick" value={n} checked={isPicked} />
                <span class="unseen">{text.watch({ name })}</span>
              </label>
            </td>
            <td>
              <input name={`name_${n}`} value={name} aria-label={text.name_of({ target: target ?? name })} dir="auto" />
            </td>
            <td>{typeName(type)}</td>
            <td class="wide" dir="auto">
              {target ?? fields.schedule}
            </td>
            <td>
              <LookShown look={look} problem={problem} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

const UNREAD_NAMED = 3;

/** What stands or falls with the same hosts, one tick away. */
function Besides({ things }: { things: readonly WatchedThing[] }) {
  const text = words("dashboard-monitors").watch;
  const certificates = new Set(things.map(({ certificate }) => certificate).filter((each) => each !== null));
  const domains = new Set(things.map(({ domain }) => domain).filter((each) => each !== null));
  const of = ([first = "", ...others]: Set<string>) =>
    others.length === 0 ? first : text.hosts({ n: others.length + 1 });
  return (
    <>
      {certificates.size === 0 ? null : (
        <FieldRow
          field={{ name: "certificate", label: text.certificates({ of: of(certificates) }), kind: "checkbox" }}
          values={{}}
          problems={{}}
        />
      )}
      {domains.size === 0 ? null : (
        <FieldRow
          field={{ name: "domain", label: text.domains({ of: of(domains) }), kind: "checkbox" }}
          values={{}}
          problems={{}}
        />
      )}
    </>
  );
}
