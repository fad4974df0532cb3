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
} from "../../contract/monitor-values.ts";
import { listScrapedMonitors } from "../../data/metrics/read.ts";
import { retryIntervalMs } from "../../domain/check-schedule.ts";
import { listMyAgents } from "../../features/agents/service.ts";
import { groupVerbs } from "../../features/groups/service.ts";
import { defaultInterval } from "../../features/monitors/validate.ts";
import { SECOND_MS } from "../../lib/durations.ts";
import { isRecord } from "../../lib/is-record.ts";
import { fieldNamesOf, monitorType, TYPE_FIELDS, targetsOf } from "../../probes/registry.ts";
import type { FormField, FormValues, Option } from "../form-fields.ts";
import { changedFields, readBody, storedValues } from "../form-fields.ts";
import { durationInWords } from "../formats.ts";
import { regionName, typeOptions } from "../registry-names.ts";
import { listPageChoices, mayDo } from "../rights.ts";
import { words } from "../words.ts";
import { compositePolicies } from "./composite-policies.ts";
import { RHYTHMS_OF, readRhythm, rhythmFields, withWholeRhythm } from "./rhythm.ts";
import { typeFormFields } from "./types.ts";

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
  const fields = words("dashboard-monitors").form_fields;
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
      .map(({ id, name }) => ({ value: agentLocation(id), label: fields.locations.agent({ name }) })),
  };
  return {
    fields: [...basicFields(choices), ...typeFormFields().filter(isNotOfCron), ...advancedFields(choices)],
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

type Choices = Record<"pages" | "groups" | "agents" | "monitors" | "regions" | "voters", Option[]> & {
  interval: number;
};

/** Usual ones, in seconds. */
const INTERVALS = [10, 30, 60, 300, 900, 3600, 86_400];

const isNotOfCron = ({ name }: FormField) => name !== "schedule" && name !== "timezone";

function basicFields({ pages, agents, monitors, interval }: Choices): FormField[] {
  const fields = words("dashboard-monitors").form_fields;
  return [
    { name: "name", label: fields.name.label, kind: "text", required: true },
    { name: "type", label: fields.type.label, kind: "select", options: typeOptions(), required: true },
    {
      name: "target",
      label: fields.target.label,
      kind: "text",
      hint: fields.target.hint,
    },
    {
      name: "child_ids",
      label: fields.child_ids.label,
      kind: "several",
      options: monitors,
      hint: fields.child_ids.hint,
    },
    {
      name: "composite_policy",
      label: fields.composite_policy.label,
      kind: "select",
      options: compositePolicies(),
      empty: fields.composite_policy.empty,
      hint: fields.composite_policy.hint,
    },
    ...rhythmFields(),
    // Beside the choice of the rhythm that they are for.
    ...typeFormFields().filter((field) => !isNotOfCron(field)),
    {
      name: "interval",
      label: fields.interval.label,
      kind: "number",
      min: 10,
      max: 86_400,
      hint: fields.interval.hint,
      choices: INTERVALS.map((seconds) => ({ value: String(seconds), label: durationInWords(seconds) })),
      placeholder: String(interval),
    },
    {
      name: "status_page_id",
      label: fields.status_page_id.label,
      kind: "select",
      options: pages,
      empty: fields.status_page_id.empty,
    },
    {
      name: "agent_id",
      label: fields.agent_id.label,
      kind: "select",
      options: agents,
      empty: fields.agent_id.empty,
      hint: fields.agent_id.hint,
      advanced: agents.length === 0,
    },
  ];
}

function advancedFields({ groups, monitors, regions, voters }: Choices): FormField[] {
  const text = words("dashboard-monitors");
  const fields = text.form_fields;
  return [
    {
      name: "group_id",
      label: fields.group_id.label,
      kind: "select",
      options: groups,
      empty: fields.group_id.empty,
      hint: fields.group_id.hint,
      advanced: true,
    },
    ...(monitors.length === 0 ? [] : [dependsOnField(monitors)]),
    { name: "tags", label: fields.tags.label, kind: "list", hint: fields.tags.hint, advanced: true },
    {
      name: "timeout_seconds",
      label: fields.timeout_seconds.label,
      kind: "number",
      min: 1,
      max: 30,
      placeholder: String(DEFAULTS.timeout_seconds),
      advanced: true,
    },
    {
      name: "failure_threshold",
      label: fields.failure_threshold.label,
      kind: "number",
      min: 1,
      max: 20,
      hint: fields.failure_threshold.hint,
      placeholder: String(DEFAULTS.failure_threshold),
      advanced: true,
    },
    {
      name: "recovery_threshold",
      label: fields.recovery_threshold.label,
      kind: "number",
      min: 1,
      max: 20,
      hint: fields.recovery_threshold.hint,
      placeholder: String(DEFAULTS.recovery_threshold),
      advanced: true,
    },
    {
      name: "retry_interval",
      label: fields.retry_interval.label,
      kind: "number",
      min: 5,
      max: 300,
      advanced: true,
    },
    {
      name: "latency_threshold_ms",
      label: fields.latency_threshold_ms.label,
      kind: "number",
      min: 1,
      max: 60_000,
      advanced: true,
    },
    voters.length === 0 ? regionsField(regions) : locationsField(regions, voters),
    {
      name: "region_policy",
      label: fields.region_policy.label,
      kind: "select",
      options: REGION_POLICIES.map((value) => ({ value, label: regionPolicyInWords(value) })),
      empty: fields.region_policy.empty,
      advanced: true,
    },
    ...(voters.length === 0 ? [] : [confirmField()]),
    {
      name: "auto_create_incident",
      label: fields.auto_create_incident.label,
      kind: "tristate",
      options: text.as_the_page,
      advanced: true,
    },
    {
      name: "auto_publish_incident",
      label: fields.auto_publish_incident.label,
      kind: "tristate",
      options: text.as_the_page,
      advanced: true,
    },
    {
      name: "incident_severity",
      label: fields.incident_severity.label,
      kind: "select",
      options: INCIDENT_SEVERITIES.map((value) => ({ value, label: text.severities[value] })),
      empty: fields.incident_severity.empty,
      advanced: true,
    },
  ];
}

function dependsOnField(options: Option[]): FormField {
  const { label, hint } = words("dashboard-monitors").form_fields.depends_on;
  return { name: "depends_on", label, kind: "several", options, hint, advanced: true };
}

function regionsField(options: Option[]): FormField {
  const { label, hint } = words("dashboard-monitors").form_fields.regions;
  return { name: "regions", label, kind: "several", options, hint, advanced: true };
}

/** For who has agents that are locations. */
function locationsField(regions: Option[], voters: Option[]): FormField {
  const text = words("dashboard-monitors").form_fields.locations;
  return {
    name: "locations",
    label: text.label,
    kind: "several",
    options: [{ value: DEFAULT_REGION, label: text.service }, ...regions, ...voters],
    hint: text.hint,
  };
}

function confirmField(): FormField {
  const { label, options, hint } = words("dashboard-monitors").form_fields.confirm_outside;
  return { name: "confirm_outside", label, kind: "tristate", options, hint, advanced: true };
}

function regionPolicyInWords(policy: RegionPolicy): string {
  const { options } = words("dashboard-monitors").form_fields.region_policy;
  const n = atLeastOf(policy);
  if (n !== null) return options.at_least({ n });
  return options[policy as Exclude<RegionPolicy, `at_least:${number}`>];
}

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
    // Every type has an interval, under this name or its own.
    Object.keys(TYPE_FIELDS).filter((name) => name !== "interval"),
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
