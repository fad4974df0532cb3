import { getOwnerPlan } from "../../access/owners.ts";
import { viewerOf } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import { CheckRules } from "../../contract/check-rules.ts";
import { agentLocation } from "../../contract/location.ts";
import {
  atLeastOf,
  INCIDENT_SEVERITIES,
  MONITOR_TYPES,
  type MonitorType,
  REGION_POLICIES,
  type RegionPolicy,
  regionName,
} from "../../contract/monitor-values.ts";
import { listScrapedMonitors } from "../../data/metrics/read.ts";
import { retryIntervalMs } from "../../domain/check-schedule.ts";
import { listMyAgents } from "../../features/agents/service.ts";
import { groupVerbs } from "../../features/groups/service.ts";
import { defaultInterval } from "../../features/monitors/validate.ts";
import { durationInWords } from "../../lib/duration-format.ts";
import { SECOND_MS } from "../../lib/durations.ts";
import { isRecord } from "../../lib/is-record.ts";
import { fieldNamesOf, monitorType, targetsOf } from "../../probes/registry.ts";
import type { FormField, FormValues, Option } from "../form-fields.ts";
import { changedFields, readBody, storedValues } from "../form-fields.ts";
import { listPageChoices, mayDo } from "../rights.ts";
import { COMPOSITE_POLICIES } from "./composite-policies.ts";
import { RHYTHM_FIELDS, RHYTHMS_OF, readRhythm, withWholeRhythm } from "./rhythm.ts";
import { TYPE_FORM_FIELDS } from "./types.ts";

const CHOICES_MAX = 500;
/** Offered to a composite; the API takes the ids of others, too. */
const MEMBERS_MAX = 300;
export interface MonitorForm {
  /** All of them, in their order. */
  fields: readonly FormField[];
  /** The types that have a field; a field that is missing here is shown for every type. */
  typesOf: ReadonlyMap<string, readonly MonitorType[]>;
  /** Status pages on which this member may create monitors. */
  pages: readonly string[];
  /** Agents that this member may have check something. */
  agents: readonly string[];
}

/** What the form offers to this member. */
export async function loadForm(ctx: RequestScope): Promise<MonitorForm> {
  const first = { limit: CHOICES_MAX, offset: 0 };
  const [pages, groups, agents, monitors] = await Promise.all([
    listPageChoices(ctx, "monitors.write"),
    groupVerbs.list(ctx, undefined, first),
    listMyAgents(ctx, first, {}),
    listMonitorOptions(ctx),
  ]);
  // People who see an agent may not have it check something for them.
  const mayUse = await Promise.all(agents.rows.map((agent) => mayDo(ctx, agent, "agents.write")));
  const usable = agents.rows.filter((_agent, n) => mayUse[n]);
  const named = ({ id, name }: { id: string; name: string }): Option => ({ value: id, label: name });
  const choices = {
    interval: defaultInterval(ctx, await getOwnerPlan(ctx, requireUser(ctx).user_id)),
    pages: pages.map(named),
    groups: pages.flatMap((page) =>
      groups.rows
        .filter(({ status_page_id }) => status_page_id === page.id)
        .map(({ id, name }) => ({
          value: id,
          label: pages.length > 1 ? `${name} (${page.name})` : name,
          within: page.id,
        })),
    ),
    agents: usable.map(named),
    monitors,
    regions: ctx.settings.REGIONS.map((value) => ({ value, label: regionName(value) })),
    voters: usable
      .filter(({ is_location }) => is_location)
      .map(({ id, name }) => ({ value: agentLocation(id), label: `${name} (agent)` })),
  };
  return {
    fields: [...basicFields(choices), ...TYPE_FORM_FIELDS.filter(isNotOfCron), ...advancedFields(choices)],
    typesOf: TYPES_OF,
    pages: pages.map(({ id }) => id),
    agents: choices.agents.map(({ value }) => value),
  };
}

/** The monitors that a field offers: those that this member sees, by their names. */
export async function listMonitorOptions(ctx: RequestScope): Promise<Option[]> {
  const monitors = await listScrapedMonitors(ctx.db, await viewerOf(ctx), MEMBERS_MAX);
  return monitors.map(({ id, name }) => ({ value: id, label: name }));
}

const TYPE_OPTIONS = MONITOR_TYPES.map((value) => ({ value, label: monitorType(value).label }));
type Choices = Record<"pages" | "groups" | "agents" | "monitors" | "regions" | "voters", Option[]> & {
  interval: number;
};

/** Of the interval, in words. */
const INTERVALS = [10, 30, 60, 300, 900, 3600, 86_400].map((seconds) => {
  return { value: String(seconds), label: durationInWords(seconds) };
});

const isNotOfCron = ({ name }: FormField) => name !== "schedule" && name !== "timezone";
/** Beside the choice of the rhythm that they are for. */
const CRON_FIELDS = TYPE_FORM_FIELDS.filter((field) => !isNotOfCron(field));

function basicFields({ pages, agents, monitors, interval }: Choices): FormField[] {
  return [
    { name: "name", label: "Name", kind: "text", required: true },
    { name: "type", label: "Type", kind: "select", options: TYPE_OPTIONS, required: true },
    {
      name: "target",
      label: "Target",
      kind: "text",
      hint: "E.g. https://example.com, example.com or example.com:5432",
    },
    {
      name: "child_ids",
      label: "Members",
      kind: "several",
      options: monitors,
      hint: "A member leaves the public page; the composite stands for it.",
    },
    {
      name: "composite_policy",
      label: "Composite is down when",
      kind: "select",
      options: COMPOSITE_POLICIES,
      empty: "any member is down (default)",
      hint: "With fewer members down it is degraded.",
    },
    ...RHYTHM_FIELDS,
    ...CRON_FIELDS,
    {
      name: "interval",
      label: "Interval",
      kind: "number",
      min: 10,
      max: 86_400,
      hint: "Seconds between checks.",
      choices: INTERVALS,
      placeholder: String(interval),
    },
    { name: "status_page_id", label: "Status page", kind: "select", options: pages, empty: "None" },
    {
      name: "agent_id",
      label: "Checked by",
      kind: "select",
      options: agents,
      empty: "This service",
      hint: "Private targets need an agent in their network.",
      advanced: agents.length === 0,
    },
  ];
}

function advancedFields({ groups, monitors, regions, voters }: Choices): FormField[] {
  const asThePage = { unset: "As the page is set", yes: "Yes", no: "No" };
  return [
    {
      name: "group_id",
      label: "Group",
      kind: "select",
      options: groups,
      empty: "None",
      hint: "A group of the same page.",
      advanced: true,
    },
    ...(monitors.length === 0 ? [] : [dependsOnField(monitors)]),
    { name: "tags", label: "Tags", kind: "list", hint: "Separated by commas.", advanced: true },
    {
      name: "timeout_seconds",
      label: "Time-out, seconds",
      kind: "number",
      min: 1,
      max: 30,
      placeholder: String(DEFAULTS.timeout_seconds),
      advanced: true,
    },
    {
      name: "failure_threshold",
      label: "Failures before down",
      kind: "number",
      min: 1,
      max: 20,
      hint: "A heartbeat is down after the first.",
      placeholder: String(DEFAULTS.failure_threshold),
      advanced: true,
    },
    {
      name: "recovery_threshold",
      label: "Successes before up",
      kind: "number",
      min: 1,
      max: 20,
      hint: "A heartbeat is up after the first.",
      placeholder: String(DEFAULTS.recovery_threshold),
      advanced: true,
    },
    {
      name: "retry_interval",
      label: "Repeat after a failure, seconds",
      kind: "number",
      min: 5,
      max: 300,
      advanced: true,
    },
    { name: "latency_threshold_ms", label: "Degraded above, ms", kind: "number", min: 1, max: 60_000, advanced: true },
    voters.length === 0 ? regionsField(regions) : locationsField(regions, voters),
    {
      name: "region_policy",
      label: "Down when",
      kind: "select",
      options: POLICY_OPTIONS,
      empty: "a majority of locations fails (default)",
      advanced: true,
    },
    ...(voters.length === 0 ? [] : [CONFIRM_FIELD]),
    {
      name: "auto_create_incident",
      label: "Open incidents automatically",
      kind: "tristate",
      options: asThePage,
      advanced: true,
    },
    {
      name: "auto_publish_incident",
      label: "Publish them automatically",
      kind: "tristate",
      options: asThePage,
      advanced: true,
    },
    {
      name: "incident_severity",
      label: "Severity of its incidents",
      kind: "select",
      options: SEVERITIES,
      empty: "major (default)",
      advanced: true,
    },
  ];
}

function dependsOnField(options: Option[]): FormField {
  const hint = "While one of them is down, outages of this monitor are held and join its incident.";
  return { name: "depends_on", label: "Depends on", kind: "several", options, hint, advanced: true };
}

function regionsField(options: Option[]): FormField {
  const hint = "None: wherever the checker runs.";
  return { name: "regions", label: "Regions", kind: "several", options, hint, advanced: true };
}

/** For who has agents that are locations. */
function locationsField(regions: Option[], voters: Option[]): FormField {
  return {
    name: "locations",
    label: "Locations",
    kind: "several",
    options: [{ value: DEFAULT_REGION, label: "Wherever this service runs" }, ...regions, ...voters],
    hint: "All of them check at the same time and vote. None: wherever this service runs. “Checked by” must then be this service.",
  };
}

const CONFIRM_FIELD: FormField = {
  name: "confirm_outside",
  label: "Outages need a location outside Cloudflare",
  kind: "tristate",
  options: { unset: "Where an agent is at hand (default)", yes: "Yes", no: "No" },
  hint: "Where only Cloudflare cannot reach the target, it is degraded and not down. An agent that is a location is asked first, which takes five seconds at most; it gets no secrets.",
  advanced: true,
};

const POLICIES: Partial<Record<RegionPolicy, string>> = {
  majority: "a majority of locations fails",
  any: "any location fails",
  all: "all locations fail",
};
const POLICY_OPTIONS = REGION_POLICIES.map((value) => {
  const wanted = atLeastOf(value) ?? 1;
  return {
    value,
    label: POLICIES[value] ?? `at least ${wanted} ${wanted === 1 ? "location fails" : "locations fail"}`,
  };
});
const SEVERITIES = INCIDENT_SEVERITIES.map((value) => ({ value, label: value }));

const DEFAULTS = {
  timeout_seconds: 10,
  failure_threshold: 3,
  recovery_threshold: 2,
  region_policy: "majority",
  incident_severity: "major",
};

/** Fields of the form that only checks by a probe have. */
const PROBED = ["timeout_seconds", "retry_interval", "latency_threshold_ms", "agent_id"];

const TYPES_OF = new Map(
  [
    [
      "target",
      "child_ids",
      "composite_policy",
      "rhythm",
      "rhythm_at",
      "regions",
      "locations",
      "region_policy",
      "confirm_outside",
      ...PROBED,
    ],
    TYPE_FORM_FIELDS.map(({ name }) => name),
  ]
    .flat()
    .map((name) => [name, MONITOR_TYPES.filter((type) => hasField(type, name))] as const),
);

function hasField(type: MonitorType, name: string): boolean {
  const { source, follows } = monitorType(type);
  if (name === "child_ids") return follows === "members";
  if (name === "rhythm" || name === "rhythm_at") return fieldNamesOf(type).includes("schedule");
  if (name === "agent_id") return source === "edge" || source === "agent" || follows === "agent";
  if (name === "regions" || name === "confirm_outside") return source === "edge";
  if (name === "locations" || name === "region_policy") return source === "edge" || source === "agent";
  if (name === "target") return targetsOf(type) !== undefined;
  if (PROBED.includes(name)) return source === "edge" || source === "agent";
  return fieldNamesOf(type).includes(name);
}

export function isShownFor({ typesOf }: MonitorForm, name: string, type: MonitorType): boolean {
  return typesOf.get(name)?.includes(type) ?? true;
}

/** The rhythms for which a field of this type is shown; none where it is shown for all. */
export function rhythmsFor(name: string, type: MonitorType): readonly string[] | undefined {
  return hasField(type, "rhythm") ? RHYTHMS_OF.get(name) : undefined;
}

export function typeOf(values: FormValues): MonitorType {
  return MONITOR_TYPES.find((type) => type === values.type) ?? "https";
}

/** What a monitor of this type and interval has where nobody chose anything. */
export function defaultsOf({ fields }: MonitorForm, values: FormValues): FormValues {
  const { options, source } = monitorType(typeOf(values));
  const own = options.safeParse({}).data;
  return storedValues(fields, {
    ...(isRecord(own) && own),
    ...CheckRules.parse({}),
    ...DEFAULTS,
    ...(source === "push" && { failure_threshold: 1, recovery_threshold: 1 }),
    retry_interval: retryIntervalMs(Number(values.interval), null) / SECOND_MS,
  });
}

/**
 * The body of a creation, or of an update that leaves out what was not changed. A heartbeat's rhythm is its interval: the
 * form has one field for both.
 */
export function readMonitor(form: MonitorForm, entered: URLSearchParams, shown?: FormValues): Record<string, unknown> {
  const type = MONITOR_TYPES.find((each) => each === entered.get("type"));
  const fields = form.fields.filter(({ name }) => type === undefined || isShownFor(form, name, type));
  const read = shown ? withWholeRhythm(fields, changedFields(fields, entered, shown)) : fields;
  const body = readRhythm(readBody(read, entered), !shown);
  const hasRhythm = type !== undefined && fieldNamesOf(type).includes("expected_interval");
  return hasRhythm && "interval" in body ? { ...body, expected_interval: body.interval } : body;
}
