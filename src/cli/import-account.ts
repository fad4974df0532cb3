import { z } from "zod";
import { IncidentCreate } from "../contract/incident.ts";
import { INCIDENT_TEMPLATE_BODIES } from "../contract/incident-template.ts";
import { MaintenanceCreate } from "../contract/maintenance.ts";
import { StatusPageCreate } from "../contract/status-page.ts";
import { WebhookCreate } from "../contract/webhook.ts";
import type { Api, Item } from "./api.ts";
import { isMonitorSetting } from "./export.ts";
import { CommandFailure } from "./failure.ts";
import { orderByNeeds } from "./order.ts";

const Target = z.object({ target_type: z.string(), target_id: z.string() });
const Items = z.array(z.looseObject({ id: z.string() }));

/** The export of an account, as `GET /api/core/v1/user/export` returns it. */
const AccountFile = z.looseObject({
  kind: z.literal("account"),
  version: z.literal(1),
  status_pages: Items,
  groups: Items,
  monitors: Items,
  incident_templates: Items,
  maintenance: Items,
  incidents: Items,
  webhooks: Items,
});

const KINDS = [
  "status_pages",
  "groups",
  "monitors",
  "incident_templates",
  "maintenance",
  "incidents",
  "webhooks",
] as const;

/** What an import cannot make, because it belongs to people, machines or addresses that agreed to something. */
const LEFT = {
  members: "invite them",
  subscribers: "they confirm anew",
  agents: "install them anew",
  secrets: "no file holds their values",
  notify_contacts: "they are verified anew",
  event_rules: "move them with the export and import of event rules",
  escalation_policies: "they name users of the former account",
  on_call_schedules: "they name users of the former account",
  sla_policies: "set them anew",
  api_tokens: "create new ones",
} as const;

export interface AccountImport {
  made: Record<string, number>;
  left: { subject: string; reason: string }[];
}

/** Of one thing, in its turn: null where it was made. */
type Report = (kind: string, name: string, refused: string | null) => void;

/** What the file holds of all that an import makes, and what it leaves. */
export function listAccount(text: string): { coming: { kind: string; name: string }[]; left: AccountImport["left"] } {
  const file = parseFile(text);
  const coming = KINDS.flatMap((kind) => Items.parse(file[kind]).map((item) => ({ kind, name: nameOf(item) })));
  return { coming, left: leftOf(file) };
}

interface Step {
  kind: keyof z.infer<typeof AccountFile> & string;
  items: readonly Item[];
  /** Makes one, or finds it as an earlier run made it. */
  make(item: Item): Promise<unknown>;
}

/**
 * Makes in the present account what the export of another one holds. Objects have keys and requests are idempotent, so a
 * run that broke off can be repeated within a day. What the service refuses is reported, and the rest goes on.
 */
export async function importAccount(api: Api, text: string, report: Report = () => {}): Promise<AccountImport> {
  const file = parseFile(text);
  const ids = new Map<string, string>();
  const mapped = (id: unknown) => (typeof id === "string" ? (ids.get(id) ?? null) : null);
  const mappedAll = (list: unknown) => (Array.isArray(list) ? list.flatMap((id) => mapped(id) ?? []) : []);
  const put = async (path: string, item: Item, body: object) => {
    const key = typeof item.external_key === "string" ? item.external_key : `account-${item.id}`;
    const made = (await api.call("PUT", `${path}/by-key/${key}`, body)) as Item;
    ids.set(item.id, made.id);
  };
  const post = (path: string, item: Item, body: object) =>
    api.call("POST", path, body, { idempotency_key: `account-${item.id}` });
  const onPage = (item: Item) => ({ status_page_id: mapped(item.status_page_id) });
  const targets = ({ monitor_ids, group_ids, tags }: Item) => {
    const made = { monitor_ids: mappedAll(monitor_ids), group_ids: mappedAll(group_ids) };
    const isLimited = [monitor_ids, group_ids].some((ids) => Array.isArray(ids) && ids.length > 0);
    const isStillLimited = [...Object.values(made), tags].some((each) => Array.isArray(each) && each.length > 0);
    // Without them it would hear of everything.
    if (isLimited && !isStillLimited) throw new CommandFailure("nothing that it is limited to was imported");
    return made;
  };
  const steps: Step[] = [
    {
      kind: "status_pages",
      items: file.status_pages,
      make: (page) => put("/status-pages", page, settingsOf(page, StatusPageCreate.shape)),
    },
    {
      kind: "groups",
      items: file.groups,
      make: (group) => put("/groups", group, { name: group.name, ...onPage(group) }),
    },
    {
      // A composite comes after its members, and what depends on others after them.
      kind: "monitors",
      items: orderByNeeds(file.monitors, {
        keyOf: ({ id }) => id,
        needsOf: ({ child_ids, depends_on }) =>
          [child_ids, depends_on].flatMap((ids) => (Array.isArray(ids) ? ids.map(String) : [])),
      }),
      make: (monitor) => {
        // The agents among its locations are those of the other account; its regions are the rest.
        const isKept = (name: string) => isMonitorSetting(name) && name !== "locations";
        const settings = Object.entries(monitor).filter(([name, value]) => isKept(name) && value !== null);
        const children = isComposite(monitor) ? { child_ids: mappedAll(monitor.child_ids) } : {};
        const group = mapped(monitor.group_id);
        const depends_on = mappedAll(monitor.depends_on);
        const body = { ...Object.fromEntries(settings), ...onPage(monitor), ...children, depends_on, group_id: group };
        return put("/monitors", monitor, body);
      },
    },
    {
      kind: "incident_templates",
      items: file.incident_templates,
      make: (template) => {
        const path = `/status-pages/${mapped(template.status_page_id)}/incident-templates`;
        return post(path, template, settingsOf(template, INCIDENT_TEMPLATE_BODIES.Create.shape));
      },
    },
    {
      kind: "maintenance",
      items: file.maintenance,
      make: (window) => {
        const former = z.array(Target).parse(window.targets);
        const kept = former.flatMap(({ target_type, target_id }) => {
          const target = mapped(target_id);
          return target === null ? [] : [{ target_type, target_id: target }];
        });
        // Without any it would cover the whole page.
        if (former.length > 0 && kept.length === 0) throw new CommandFailure("nothing that it is about was imported");
        return put("/maintenance", window, {
          ...settingsOf(window, MaintenanceCreate.shape),
          ...onPage(window),
          targets: kept,
        });
      },
    },
    {
      kind: "incidents",
      items: [...file.incidents].reverse(),
      make: (incident) =>
        post("/incidents", incident, {
          ...settingsOf(incident, IncidentCreate.shape),
          ...onPage(incident),
          monitor_ids: mappedAll(incident.monitor_ids),
          group_ids: mappedAll(incident.group_ids),
          assigned_to_id: null,
          // People who were notified then are not notified again.
          ...(incident.status === "resolved" && { announce: false }),
        }),
    },
    {
      // Last, so that nobody receives what is imported.
      kind: "webhooks",
      items: file.webhooks,
      make: (hook) =>
        put("/webhooks", hook, { ...settingsOf(hook, WebhookCreate.shape), ...onPage(hook), ...targets(hook) }),
    },
  ];
  const result: AccountImport = { made: {}, left: [] };
  for (const step of steps) await carryOut(step, result, report);
  result.left.push(...leftOf(file));
  return result;
}

function leftOf(file: Record<string, unknown>): AccountImport["left"] {
  return Object.entries(LEFT).flatMap(([name, reason]) => {
    const entries = file[name];
    return Array.isArray(entries) && entries.length > 0 ? [{ subject: `${entries.length} ${name}`, reason }] : [];
  });
}

const nameOf = (item: Item) => String(item.name ?? item.title ?? item.id);

async function carryOut({ kind, items, make }: Step, { made, left }: AccountImport, report: Report): Promise<void> {
  made[kind] = 0;
  for (const item of items) {
    const subject = `${kind} ${nameOf(item)}`;
    try {
      await make(item);
      made[kind] += 1;
      report(kind, nameOf(item), null);
      if (item.has_secret === true) left.push({ subject, reason: "its secret is not exported: set it anew" });
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      left.push({ subject, reason: error.message });
      report(kind, nameOf(item), error.message);
    }
  }
}

function parseFile(text: string) {
  try {
    return AccountFile.parse(JSON.parse(text));
  } catch {
    throw new CommandFailure("the file is no export of an account: GET /api/core/v1/user/export makes one");
  }
}

const isComposite = (monitor: Item) => Number(monitor.type === "composite");

/** Members of an answer that a request may have; ids of others, keys and secrets are set apart. */
function settingsOf(item: Item, shape: object): Record<string, unknown> {
  const apart = ["external_key", "secret", "monitors"];
  const kept = Object.entries(item).filter(
    ([name, value]) => Object.hasOwn(shape, name) && !apart.includes(name) && value !== null,
  );
  return Object.fromEntries(kept);
}
