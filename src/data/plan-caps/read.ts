import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { agents } from "../agents/table.ts";
import { incidentTemplates } from "../incident-templates/table.ts";
import { incidents, incidentUpdates } from "../incidents/table.ts";
import { maintenance, maintenanceUpdates } from "../maintenance/table.ts";
import { secrets } from "../secrets/table.ts";
import { subscribers } from "../subscribers/table.ts";
import { webhooks } from "../webhooks/table.ts";

/** Conditions under which something is there as often as a cap allows. Each stops counting at the cap. */
type IsReached = (max: number) => SQL;

/** Spelled out where the index is partial: SQLite uses it only for the very same condition. */
function counts(table: SQLiteTable, condition: SQL): IsReached {
  return (max) => sql`(SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${condition} LIMIT ${max})) >= ${max}`;
}

export const hasAgents = (ownerId: string) => counts(agents, sql`${agents.owner_id} = ${ownerId}`);

export const hasWebhooks = (ownerId: string) => counts(webhooks, sql`${webhooks.owner_id} = ${ownerId}`);

export const hasSecrets = (ownerId: string) => counts(secrets, sql`${secrets.owner_id} = ${ownerId}`);

export const isOpenedByPeople = (ownerId: string) =>
  sql`${incidents.owner_id} = ${ownerId} AND created_by IS NOT NULL AND status <> 'resolved'`;
export const hasOpenIncidents = (ownerId: string) => counts(incidents, isOpenedByPeople(ownerId));

export const hasIncidentUpdates = (incidentId: string) =>
  counts(incidentUpdates, sql`${incidentUpdates.incident_id} = ${incidentId}`);

export const hasMaintenanceUpdates = (maintenanceId: string) =>
  counts(maintenanceUpdates, sql`${maintenanceUpdates.maintenance_id} = ${maintenanceId}`);

export const hasIncidentTemplates = (ownerId: string) =>
  counts(incidentTemplates, sql`${incidentTemplates.owner_id} = ${ownerId}`);

export const isPlanned = (ownerId: string) => sql`${maintenance.owner_id} = ${ownerId} AND next_edge_at IS NOT NULL`;
export const hasPlannedMaintenance = (ownerId: string) => counts(maintenance, isPlanned(ownerId));

/** With those that were invited and have not answered, so that strangers are not asked without end. */
export const hasAskedSubscribers = (pageId: string) =>
  counts(
    subscribers,
    sql`${subscribers.status_page_id} = ${pageId} AND unsubscribed_at IS NULL AND (confirmed_at IS NOT NULL OR is_invited)`,
  );

export const hasSubscribers = (pageId: string) =>
  counts(
    subscribers,
    sql`${subscribers.status_page_id} = ${pageId} AND confirmed_at IS NOT NULL AND unsubscribed_at IS NULL`,
  );
