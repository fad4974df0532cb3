import { z } from "zod";
import { getOwnerPlan } from "../../access/owners.ts";
import { requireUser } from "../../access/principal.ts";
import { DryRunReport } from "../../contract/monitor.ts";
import { PLAN_LIMITS } from "../../domain/plans.ts";
import { readWatchedThings, type WatchedThing, type WatchedThings } from "../../domain/watched-things.ts";
import { checkedHosts } from "../../features/monitors/target.ts";
import { defaultInterval } from "../../features/monitors/validate.ts";
import { findNetworkToAllow } from "../../features/reachable-networks/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { monitorType } from "../../probes/registry.ts";
import { addPhoneChannel } from "../alerts/phone-channel.ts";
import { type ApiRefusal, callApi } from "../call-api.ts";
import { toSentences } from "../form-fields.ts";
import { formatDuration } from "../formats.ts";
import { allowNetwork } from "../installation/networks-routes.tsx";
import { findLacking } from "../overview/next-steps.tsx";
import { NEW_PAGE_VALUES, slugFrom } from "../pages/form.ts";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { loadForm } from "./form.ts";
import { WATCH_PATH } from "./one-field.tsx";
import { describeResult } from "./test-result.ts";
import { type Look, proposalsView, watchView } from "./watch-views.tsx";

const API = "/api/uptime/v1";
const WHAT_MAX = 200_000;
/** Checks while a person waits; the others are checked as soon as they are saved. */
const LOOKED_AT_MAX = 5;
const LOOK_TIMEOUT_S = 5;
/** Each is a request of its own within this one, whose calls of the database a small Workers plan counts narrowly. */
const ADDED_AT_ONCE = { paid: 20, free: 3 } as const;
const NEW_PAGE = "new";

export const endpoints = [
  view({ path: WATCH_PATH, summary: "Field for what should be watched" }, (c) => showView(c, watchView(""))),

  action({ path: WATCH_PATH, summary: "Propose monitors for what was entered, or add them" }, async (c, form) => {
    const text = words("dashboard-monitors").watch;
    const what = (form.get("what") ?? "").slice(0, WHAT_MAX);
    const found = readWatchedThings(what);
    if (found.things.length === 0) {
      const problem = what.trim() === "" ? text.empty : unreadSentence(found.unread);
      return showView(c, watchView(what, problem));
    }
    if (form.get("intent") === "add") return add(c, form, found);
    const network = form.get("allow");
    if (network === null) return propose(c, found, { ...NOTHING_DECIDED, what });
    await allowNetwork(c, network);
    return propose(c, found, decidedIn(form));
  }),
];

function unreadSentence(unread: readonly string[]): string {
  const text = words("dashboard-monitors").watch;
  const [first = ""] = unread;
  return text.nothing({ text: first.slice(0, 100) });
}

/** What a person has decided so far. */
interface Decided {
  what: string;
  /** Of the things, by their place: those that are watched already. */
  done: ReadonlySet<number>;
  /** All, before anything was chosen. */
  picks?: ReadonlySet<number>;
  nameOf(n: number, thing: WatchedThing): string;
  problems?: ReadonlyMap<number, string>;
  said?: string | undefined;
  interval?: string;
  page?: string;
}

const NOTHING_DECIDED = { done: new Set<number>(), nameOf: (_n: number, { name }: WatchedThing) => name };

async function propose(c: AppContext, { things, more, unread }: WatchedThings, decided: Decided): Promise<Response> {
  const text = words("dashboard-monitors").watch;
  const { ctx } = c.var;
  const { problems, done, picks, nameOf } = decided;
  const looked = problems === undefined && done.size === 0 ? things.slice(0, LOOKED_AT_MAX) : [];
  const [plan, pages, looks] = await Promise.all([
    getOwnerPlan(ctx, requireUser(ctx).user_id),
    listPageChoices(ctx, "monitors.write"),
    Promise.all(looked.map((thing) => lookAt(c, thing))),
  ]);
  const unreached = looked.filter((_thing, n) => !isWell(looks[n] ?? null));
  const [network, lacking] = await Promise.all([
    findNetworkToAllow(ctx, unreached.flatMap(hostsOf)),
    findLacking(ctx, pages),
  ]);
  const smallest = PLAN_LIMITS[plan].min_interval;
  const named = pages.map(({ id, name }) => ({ value: id, label: name }));
  const proposals = things.map((thing, n) => ({
    n,
    thing: { ...thing, name: nameOf(n, thing) },
    look: looks[n] ?? null,
    problem: problems?.get(n),
    isPicked: picks?.has(n) ?? true,
  }));
  const view = proposalsView({
    what: decided.what,
    more,
    unread,
    proposals: proposals.filter(({ n }) => !done.has(n)),
    done: [...done],
    problem: problems?.get(AS_A_WHOLE),
    said: decided.said,
    network,
    intervals: INTERVALS.filter((seconds) => seconds >= smallest).map((seconds) => ({
      value: String(seconds),
      label: text.every({ duration: formatDuration(seconds) }),
    })),
    interval: decided.interval ?? String(defaultInterval(ctx, plan)),
    pages: [...named, { value: NEW_PAGE, label: text.new_page }],
    page: decided.page ?? (pages.length === 1 ? (named[0]?.value ?? "") : ""),
    offersPhone: lacking.channel,
  });
  return showView(c, view);
}

/** The place of a problem that no single thing has. */
const AS_A_WHOLE = -1;
const INTERVALS = [10, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400];

/** One check, of which nothing is saved. */
async function lookAt(c: AppContext, thing: WatchedThing): Promise<Look> {
  if (monitorType(thing.type).source !== "edge") return null;
  const body = { ...bodyOf(thing), timeout_seconds: LOOK_TIMEOUT_S };
  const answer = await callApi(c, { method: "POST", path: `${API}/monitors/test`, body });
  if (!answer.ok) return { refused: await sentenceOf(c, answer) };
  const { regions } = DryRunReport.parse(answer.body);
  return { results: regions.map((each) => describeResult(each, c.var.now)) };
}

const isWell = (look: Look) =>
  look === null || ("results" in look && look.results.every(({ status }) => status === "up"));
const hostsOf = ({ type, target, fields }: WatchedThing) => (target === null ? [] : checkedHosts(type, target, fields));

const bodyOf = ({ type, name, target, fields }: WatchedThing) => ({
  type,
  name,
  ...(target === null ? {} : { target }),
  ...fields,
});

async function sentenceOf(c: AppContext, { problems }: ApiRefusal): Promise<string> {
  const { fields } = await loadForm(c.var.ctx);
  return Object.values(toSentences(fields, problems)).join(" ");
}

const Made = z.object({ id: z.string() });

function decidedIn(form: URLSearchParams) {
  return {
    what: form.get("what") ?? "",
    done: new Set(form.getAll("done").map(Number)),
    picks: new Set(form.getAll("pick").map(Number)),
    nameOf: (n: number, { name }: WatchedThing) => (form.get(`name_${n}`) ?? form.get("name"))?.trim() || name,
    interval: form.get("interval") ?? "",
    page: form.get("status_page_id") ?? "",
  };
}

async function add(c: AppContext, form: URLSearchParams, found: WatchedThings): Promise<Response> {
  const text = words("dashboard-monitors").watch;
  const decided = decidedIn(form);
  const { done, picks, nameOf, interval } = decided;
  const refuse = (problem: string) => propose(c, found, { ...decided, problems: new Map([[AS_A_WHOLE, problem]]) });

  const chosen = found.things
    .map((thing, n) => ({ n, thing: { ...thing, name: nameOf(n, thing) } }))
    .filter(({ n }) => picks.has(n) && !done.has(n));
  const [first] = chosen;
  if (first === undefined) return refuse(text.choose);
  if (decided.page === NEW_PAGE) {
    const made = await makePage(c, found.things.length === 1 ? first.thing.name : text.new_page_name);
    if (!made.ok) return refuse(await sentenceOf(c, made));
    decided.page = Made.parse(made.body).id;
  }

  const now = chosen.slice(0, ADDED_AT_ONCE[c.var.settings.PLAN]);
  const problems = new Map<number, string>();
  const ids: string[] = [];
  const save = async (thing: WatchedThing, n: number) => {
    const body = {
      ...bodyOf(thing),
      ...(takesInterval(thing) && interval !== "" ? { interval: Number(interval) } : {}),
      ...(decided.page === "" ? {} : { status_page_id: decided.page }),
    };
    const answer = await callApi(c, { method: "POST", path: `${API}/monitors`, body });
    if (answer.ok) ids.push(Made.parse(answer.body).id);
    else problems.set(n, [problems.get(n), await sentenceOf(c, answer)].filter(Boolean).join(" "));
    return answer.ok;
  };
  for (const { n, thing } of now) if (await save(thing, n)) done.add(n);
  const saved = now.filter(({ n }) => done.has(n)).map(({ thing }) => thing);
  for (const thing of besides(form, saved)) await save(thing, AS_A_WHOLE);

  const said = ids.length === 0 ? undefined : text.added({ n: ids.length });
  const isWhole = problems.size === 0 && now.length === chosen.length;
  if (!isWhole) return propose(c, found, { ...decided, said, problems });
  const left = found.more > 0 ? ` ${text.left({ n: found.more })}` : "";
  const path = now.length === 1 ? `/app/monitors/${ids[0]}` : "/app/monitors";
  return redirectWithNotice(form.has("phone") ? await addPhoneChannel(c) : path, `${said}${left}`);
}

function makePage(c: AppContext, name: string) {
  const body = { ...NEW_PAGE_VALUES, name, slug: slugFrom(name) };
  return callApi(c, { method: "POST", path: `${API}/status-pages`, body });
}

/** Certificates and registrations change by the day, and keep the interval that is theirs. */
const takesInterval = ({ type }: WatchedThing) => type !== "heartbeat" && type !== "ssl" && type !== "domain";

function besides(form: URLSearchParams, things: readonly WatchedThing[]): WatchedThing[] {
  const text = words("dashboard-monitors").watch;
  const none = { fields: {}, certificate: null, domain: null };
  const unique = (names: (string | null)[]) => [...new Set(names.filter((name) => name !== null))];
  const certificates = form.has("certificate") ? unique(things.map(({ certificate }) => certificate)) : [];
  const domains = form.has("domain") ? unique(things.map(({ domain }) => domain)) : [];
  return [
    ...certificates.map((host) => ({
      ...none,
      type: "ssl" as const,
      name: text.certificate_of({ host }),
      target: host,
    })),
    ...domains.map((host) => ({
      ...none,
      type: "domain" as const,
      name: text.registration_of({ host }),
      target: host,
    })),
  ];
}
