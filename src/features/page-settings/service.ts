import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { pageGuard, requirePage } from "../../access/pages.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { AlertingUpdate, LegalUpdate } from "../../contract/page-settings.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { type StatusPageChange, updatePage } from "../../data/status-pages/write.ts";
import { mergeTopics } from "../../domain/team-notifications.ts";
import { changedMembers } from "../../lib/merge-field.ts";

/** What null brings back. */
const ALERTING_DEFAULTS = {
  incident_system_enabled: true,
  auto_create_incident: false,
  auto_publish_incident: false,
  advanced_alerts: false,
  alert_routing: {},
} satisfies StatusPageChange;

/** Omitted fields keep their value; null clears them. */
export async function changeLegal(ctx: RequestScope, pageId: string, input: LegalUpdate): Promise<StatusPageRecord> {
  const page = await requirePage(ctx, pageId);
  return change(ctx, page, "legal links", {
    imprint_url: input.imprint_url === undefined ? page.imprint_url : input.imprint_url,
    privacy_url: input.privacy_url === undefined ? page.privacy_url : input.privacy_url,
  });
}

export async function changeAlerting(
  ctx: RequestScope,
  pageId: string,
  input: AlertingUpdate,
): Promise<StatusPageRecord> {
  const page = await requirePage(ctx, pageId);
  const decide = <Name extends keyof typeof ALERTING_DEFAULTS>(name: Name) =>
    input[name] === undefined ? page[name] : (input[name] ?? ALERTING_DEFAULTS[name]);
  const settings = {
    incident_system_enabled: decide("incident_system_enabled"),
    auto_create_incident: decide("auto_create_incident"),
    auto_publish_incident: decide("auto_publish_incident"),
    advanced_alerts: decide("advanced_alerts"),
    alert_routing: decide("alert_routing"),
    notify_team: mergeTopics(page.notify_team, input.notify_team),
  };
  return change(ctx, page, "alerting", settings, input.notify_team === undefined ? [] : [pageGuard(page)]);
}

async function change<Settings extends StatusPageChange>(
  ctx: RequestScope,
  page: StatusPageRecord,
  what: string,
  settings: Settings,
  guards: Guard[] = [],
): Promise<StatusPageRecord> {
  const changed = { ...changedMembers<StatusPageChange>(page, settings), updated_at: ctx.now };
  await commit(ctx, [updatePage(ctx.db, page.id, changed)], {
    guards,
    audit: {
      owner_id: page.owner_id,
      status_page_id: page.id,
      target_type: "status_page",
      target_id: page.id,
      summary: `changed the ${what} of status page "${page.name}"`,
      data: settings,
    },
  });
  return { ...page, ...settings };
}
