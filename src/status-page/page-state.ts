import type { PagePayload, PageState, PublicIncident } from "../contract/public-page.ts";
import { inLanguageOf } from "../domain/automatic-texts.ts";
import type { PageTexts } from "../language/texts.ts";
import { englishTexts } from "../language/texts.ts";
import { monitorsInMaintenance, sortMaintenance } from "./maintenance.ts";

/** From bad to worse. */
const ORDER: readonly PageState[] = [
  "operational",
  "unknown",
  "maintenance",
  "degraded",
  "partial_outage",
  "major_outage",
];

const STATE_OF_SEVERITY = {
  minor: "degraded",
  major: "partial_outage",
  critical: "major_outage",
} as const satisfies Record<PublicIncident["severity"], PageState>;

export interface PageStateView {
  state: PageState;
  title: string;
  /** The state in one sentence about what fails; where only incidents tell of trouble, the title. */
  headline: string;
  /** Since when that sentence is true; null while nothing is wrong. */
  since: number | null;
  /** Monitors fail, and no incident says so yet. */
  is_unannounced: boolean;
  /** What is affected, in sentences; empty while nothing is. */
  affected: string[];
}

const NAMES_SHOWN = 3;
/** A longer name fills a phone without saying more. */
const HEADLINE_NAME_MAX = 60;

type PageParts = Pick<PagePayload, "monitors" | "incidents" | "maintenance">;

/**
 * The worst of what checks and open incidents report: an incident may concern what no check covers. The status of
 * a monitor inside its maintenance is no trouble.
 */
export function computePageState(
  payload: PageParts,
  now: number,
  texts: PageTexts = englishTexts("page"),
): PageStateView {
  const { incidents } = payload;
  const { active } = sortMaintenance(payload, now);
  const planned = monitorsInMaintenance(payload, now);
  const monitors = payload.monitors.filter(({ id }) => !planned.has(id));
  const open = incidents.filter((incident) => incident.status !== "resolved");
  const said = open.map((incident) => STATE_OF_SEVERITY[incident.severity]);
  const planning: PageState[] = active.length > 0 ? ["maintenance"] : [];
  const states = [stateOfMonitors(monitors), ...said, ...planning];
  const state = states.reduce((worst, each) => (ORDER.indexOf(each) > ORDER.indexOf(worst) ? each : worst));
  const isBlank = state === "unknown" && !monitors.some((monitor) => monitor.status === "up");
  const down = monitors.filter(({ status }) => status === "down");
  const degraded = monitors.filter(({ status }) => status === "degraded");
  const named = [
    ...nameAffected("down", { affected: down, total: payload.monitors.length, texts }),
    ...nameAffected("degraded", { affected: degraded, total: payload.monitors.length, texts }),
  ];
  const titles = open.slice(0, NAMES_SHOWN).map(({ title }) => inLanguageOf(texts, title));
  const affected = named.length > 0 ? named : titles;
  const areResting = isBlank && monitors.length > 0 && monitors.every(({ is_resting }) => is_resting);
  const wasKnown = monitors.some(({ status }) => status === "unknown");
  const blank = wasKnown ? texts.monitor.statuses.unknown : texts.states.blank;
  const title = areResting ? texts.monitor.statuses.resting : isBlank ? blank : texts.states[state];
  const failing = down.length > 0 ? down : degraded;
  const told = open.filter(({ monitor_ids }) => failing.some(({ id }) => monitor_ids.includes(id)));
  const starts = [
    ...failing.map(({ status_since }) => status_since),
    ...(failing.length > 0 ? told : open).map(({ started_at }) => started_at),
  ];
  return {
    state,
    title,
    headline: headlineOf({ title, failing, total: payload.monitors.length, texts }),
    since: starts.length > 0 ? Math.min(...starts) : null,
    is_unannounced: failing.length > 0 && open.length === 0,
    affected,
  };
}

interface Trouble {
  title: string;
  /** Those that are down; where none is, those that are degraded. */
  failing: PagePayload["monitors"];
  total: number;
  texts: PageTexts;
}

function headlineOf({ title, failing, total, texts }: Trouble): string {
  const [first] = failing;
  if (first) {
    const status = first.status === "down" ? "down" : "degraded";
    const letters = [...first.name];
    const short = letters.length > HEADLINE_NAME_MAX ? `${letters.slice(0, HEADLINE_NAME_MAX).join("")}…` : first.name;
    const words = texts.headline[status];
    const n = failing.length;
    if (n === 1) return words.one({ name: short });
    return n === total ? words.all({ total }) : words.some({ n, total });
  }
  return title;
}

/** "2 of 300 services are down: Webhooks, Checkout". */
function nameAffected(
  status: "down" | "degraded",
  { affected, total, texts }: { affected: readonly { name: string }[]; total: number; texts: PageTexts },
): string[] {
  if (affected.length === 0) return [];
  const listed = affected.slice(0, NAMES_SHOWN).map(({ name }) => name);
  const more = affected.length - listed.length;
  const names = more > 0 ? texts.affected.more({ names: listed.join(", "), n: more }) : listed.join(", ");
  return [texts.affected[status]({ n: affected.length, total, names })];
}

/** A monitor that has yet to be checked says nothing, unless none has been. */
function stateOfMonitors(monitors: PagePayload["monitors"]): PageState {
  const statuses = monitors.map((monitor) => monitor.status).filter((status) => status !== "pending");
  const down = statuses.filter((status) => status === "down").length;
  if (down > 0) return down === statuses.length ? "major_outage" : "partial_outage";
  if (statuses.includes("degraded")) return "degraded";
  return statuses.length === 0 || statuses.includes("unknown") ? "unknown" : "operational";
}
