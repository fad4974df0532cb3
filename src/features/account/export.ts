import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { AccountExport } from "../../contract/account.ts";
import { mapConcurrently } from "../../lib/map-concurrently.ts";
import { toIso } from "../../platform/clock.ts";
import { presentAgent } from "../agents/present.ts";
import { listMyAgents } from "../agents/service.ts";
import { presentRule } from "../event-rules/present.ts";
import { listRules } from "../event-rules/service.ts";
import { groupVerbs } from "../groups/service.ts";
import { templateVerbs } from "../incident-templates/service.ts";
import { presentIncident } from "../incidents/present.ts";
import { listMyIncidents } from "../incidents/service.ts";
import { presentMaintenance } from "../maintenance/present.ts";
import { listMyMaintenance } from "../maintenance/service.ts";
import { presentEntry } from "../members/present.ts";
import { listMembers } from "../members/service.ts";
import { presentMonitor } from "../monitors/present.ts";
import { listMyMonitors } from "../monitors/service.ts";
import { presentContact } from "../notify-contacts/present.ts";
import { listContacts } from "../notify-contacts/service.ts";
import { listPolicies as listEscalationPolicies } from "../on-call/policies.ts";
import { presentPolicy as presentEscalationPolicy, presentSchedule } from "../on-call/present.ts";
import { listSchedules } from "../on-call/schedules.ts";
import { presentSecret } from "../secrets/present.ts";
import { listMySecrets } from "../secrets/service.ts";
import { presentMe, presentSession } from "../sessions/present.ts";
import { getMe, listMySessions } from "../sessions/service.ts";
import { listPolicies as listSlaPolicies } from "../sla/policies.ts";
import { presentPolicy as presentSlaPolicy } from "../sla/present.ts";
import { presentPage } from "../status-pages/present.ts";
import { listMyPages } from "../status-pages/service.ts";
import { presentSubscriber } from "../subscribers/present.ts";
import { listMySubscribers } from "../subscribers/service.ts";
import { presentWebhook } from "../webhooks/present.ts";
import { listWebhooks } from "../webhooks/service.ts";
import { presentToken } from "./present.ts";
import { listMyTokens } from "./service.ts";

/** A list is read a thousand at a time, as clients read it, and ten thousand at most. */
const PORTION = 1000;
const ITEMS_MAX = 10_000;
const PAGES_AT_ONCE = 4;

interface Portion {
  limit: number;
  offset: number;
}

/** Everything that the caller owns, in the shapes of the API; what others share with the caller is theirs to export. */
export async function exportAccount(ctx: RequestScope): Promise<AccountExport> {
  const user = requireUser(ctx);
  // Lists show what their viewer owns; as a member of nothing that is all they show.
  const own: RequestScope = { ...ctx, principal: { ...user, is_member: false } };
  const truncated = new Set<string>();
  const all = async <Row, Shown>(
    name: string,
    read: (page: Portion) => Promise<readonly Row[]>,
    show: (row: Row) => Shown,
  ): Promise<Shown[]> => {
    const shown: Shown[] = [];
    for (let offset = 0; offset < ITEMS_MAX; offset += PORTION) {
      const rows = await read({ limit: PORTION, offset });
      shown.push(...rows.map(show));
      if (rows.length < PORTION) return shown;
    }
    truncated.add(name);
    return shown;
  };
  const pages = await all(
    "status_pages",
    async (page) => (await listMyPages(own, page)).views,
    (view) => presentPage(view),
  );
  const perPage = async <Row, Shown>(
    name: string,
    read: (pageId: string, page: Portion) => Promise<{ rows: readonly Row[] }>,
    show: (row: Row) => Shown,
  ) => {
    const lists = await mapConcurrently(pages, PAGES_AT_ONCE, ({ id }) =>
      all(
        name,
        async (page) => (await read(id, page)).rows,
        (row) => ({ status_page_id: id, ...show(row) }),
      ),
    );
    return lists.flat();
  };
  const { now } = ctx;
  const me = await getMe(ctx);
  return {
    version: 1,
    kind: "account",
    exported_at: toIso(now),
    account: presentMe(me),
    api_tokens: await all("api_tokens", async (page) => (await listMyTokens(own, page)).rows, presentToken),
    sessions: await all(
      "sessions",
      async (page) => (await listMySessions(own, page)).rows,
      (session) => presentSession(session, { current_id: user.session_id, session_ms: me.session_ms }),
    ),
    notify_contacts: await all("notify_contacts", async (page) => (await listContacts(own, page)).rows, presentContact),
    secrets: await all("secrets", async (page) => (await listMySecrets(own, page)).rows, presentSecret),
    status_pages: pages,
    members: await perPage("members", (id, page) => listMembers(own, id, page), presentEntry),
    groups: await all("groups", async (page) => (await groupVerbs.list(own, undefined, page)).rows, groupVerbs.present),
    monitors: await all(
      "monitors",
      async (page) => (await listMyMonitors(own, undefined, page)).views,
      (view) => presentMonitor(view, now),
    ),
    incidents: await all(
      "incidents",
      async (page) => (await listMyIncidents(own, {}, page)).incidents,
      presentIncident,
    ),
    incident_templates: await perPage(
      "incident_templates",
      (id, page) => templateVerbs.list(own, id, page),
      templateVerbs.present,
    ),
    maintenance: await all(
      "maintenance",
      async (page) => (await listMyMaintenance(own, {}, page)).windows,
      (window) => presentMaintenance(window, now),
    ),
    webhooks: await all("webhooks", async (page) => (await listWebhooks(own, undefined, page)).rows, presentWebhook),
    event_rules: await perPage("event_rules", (id, page) => listRules(own, [id], page), presentRule),
    escalation_policies: await perPage(
      "escalation_policies",
      (id, page) => listEscalationPolicies(own, [id], page),
      presentEscalationPolicy,
    ),
    on_call_schedules: await perPage(
      "on_call_schedules",
      (id, page) => listSchedules(own, [id], page),
      (schedule) => presentSchedule(schedule, now),
    ),
    sla_policies: await all("sla_policies", async (page) => (await listSlaPolicies(own, page)).rows, presentSlaPolicy),
    subscribers: await all(
      "subscribers",
      async (page) => (await listMySubscribers(own, undefined, page)).rows,
      presentSubscriber,
    ),
    agents: await all(
      "agents",
      async (page) => (await listMyAgents(own, page, {})).rows,
      (agent) => presentAgent(agent, { now, newest: undefined }),
    ),
    truncated: [...truncated],
  };
}
