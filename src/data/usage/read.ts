import { eq, ne, sql } from "drizzle-orm";
import type { FleetLoad } from "../../domain/free-plan.ts";
import { DAY_MS, HOUR_MS } from "../../lib/durations.ts";
import { agents } from "../agents/table.ts";
import type { Db } from "../db.ts";
import { incidentTemplates } from "../incident-templates/table.ts";
import { incidents } from "../incidents/table.ts";
import { mailBudgets } from "../mail-budgets/table.ts";
import type { MailBudget } from "../mail-budgets/write.ts";
import { maintenance } from "../maintenance/table.ts";
import { seatsOf } from "../members/read.ts";
import { monitors } from "../monitors/table.ts";
import { isOpenedByPeople, isPlanned } from "../plan-caps/read.ts";
import { secrets } from "../secrets/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { storedTexts } from "../stored-texts/table.ts";
import type { RowBudget } from "../stored-texts/write.ts";
import { users } from "../users/table.ts";
import { webhooks } from "../webhooks/table.ts";

/** How much an owner has of what plans limit. */
export interface Usage {
  monitors: number;
  status_pages: number;
  /** On all pages together. */
  seats: number;
  agents: number;
  webhooks: number;
  secrets: number;
  open_incidents: number;
  incident_templates: number;
  planned_maintenance: number;
  opened_accounts: number;
  /** Bytes. */
  stored_text: number;
  written_rows: number;
  agent_rows: number;
  /** Bytes. */
  audit_bytes: number;
  mails: number;
  subscriber_mails: number;
}

/** All monitors of the installation. */
export function countAllMonitors(db: Db): Promise<number> {
  return db.$count(monitors);
}

/** What all monitors of the installation but one ask for, paused ones included, because they may be resumed. */
export async function readFleetLoad(db: Db, exceptId: string): Promise<FleetLoad> {
  const rhythm = sql`coalesce(json_extract(${monitors.options}, '$.expected_interval'), ${monitors.interval})`;
  const [row] = await db
    .select({
      monitors: sql<number>`count(*)`,
      checks_per_minute: sql<number>`coalesce(sum(CASE WHEN ${monitors.check_group_id} <> '' THEN 60.0 / ${monitors.interval} END), 0)`,
      heartbeats_per_minute: sql<number>`coalesce(sum(CASE WHEN ${monitors.type} = 'heartbeat' THEN 60.0 / ${rhythm} END), 0)`,
    })
    .from(monitors)
    .where(ne(monitors.id, exceptId));
  if (!row) throw new Error("an aggregate gives one row");
  return row;
}

/** How much of a plan an owner uses, in one query. */
export async function countUsage(db: Db, ownerId: string, now: number): Promise<Usage> {
  const hour_at = Math.floor(now / HOUR_MS) * HOUR_MS;
  const written = (column: "bytes" | "audit_bytes" | RowBudget, when = sql`true`) => sql<number>`coalesce((
    SELECT ${storedTexts[column]} FROM ${storedTexts} WHERE ${storedTexts.owner_id} = ${ownerId} AND ${when}), 0)`;
  const day_at = Math.floor(now / DAY_MS) * DAY_MS;
  const mailed = (kind: MailBudget) => sql<number>`coalesce((SELECT ${mailBudgets[kind]} FROM ${mailBudgets}
    WHERE ${mailBudgets.owner_id} = ${ownerId} AND ${mailBudgets.day_at} = ${day_at}), 0)`;
  const isThisHour = sql`${storedTexts.hour_at} = ${hour_at}`;
  const owned = {
    monitors: db.$count(monitors, eq(monitors.owner_id, ownerId)),
    status_pages: db.$count(statusPages, eq(statusPages.owner_id, ownerId)),
    seats: seatsOf(ownerId, now),
    agents: db.$count(agents, eq(agents.owner_id, ownerId)),
    webhooks: db.$count(webhooks, eq(webhooks.owner_id, ownerId)),
    secrets: db.$count(secrets, eq(secrets.owner_id, ownerId)),
    open_incidents: db.$count(incidents, isOpenedByPeople(ownerId)),
    incident_templates: db.$count(incidentTemplates, eq(incidentTemplates.owner_id, ownerId)),
    planned_maintenance: db.$count(maintenance, isPlanned(ownerId)),
    opened_accounts: sql<number>`(SELECT ${users.opened_accounts} FROM ${users} WHERE ${users.id} = ${ownerId})`,
    stored_text: written("bytes"),
    written_rows: written("written_rows", isThisHour),
    agent_rows: written("agent_rows", isThisHour),
    audit_bytes: written("audit_bytes"),
    mails: mailed("mails"),
    subscriber_mails: mailed("subscriber_mails"),
  };
  const [row] = await db.select(owned).from(sql`(SELECT 1)`);
  if (!row) throw new Error("a query without a table gives one row");
  return row;
}
