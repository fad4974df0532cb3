import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import { expect } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { V1 } from "./client.ts";
import { type Account, createAccount, createMonitor, createPage } from "./factories.ts";

const db = openDb(env.DB);
export const NOWHERE = "00000000-0000-4000-8000-000000000000";
export const INCIDENTS = `${V1}/incidents`;

/** An account with a page, on it a monitor and a group. */
export async function aTeam() {
  const account = await createAccount();
  const status_page_id = await createPage(account);
  const monitor = await createMonitor(account.client, { status_page_id });
  const group = await account.client.post(`${V1}/groups`, { name: "Shops", status_page_id });
  return { account, client: account.client, status_page_id, monitor_id: monitor.id, group_id: group.body.id };
}

export async function openIncident(account: Account, fields: Record<string, unknown>) {
  const answer = await account.client.post(INCIDENTS, { title: "Trouble", ...fields });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

/** What was announced of a page so far: the name, and what the data says. */
export async function toldOf(pageId: string) {
  return db
    .select({ name: events.name, data: events.data, processed_at: events.processed_at })
    .from(events)
    .where(eq(events.status_page_id, pageId))
    .orderBy(asc(events.created_at), asc(events.id));
}

export const namesOf = async (pageId: string) => (await toldOf(pageId)).map(({ name }) => name);

export async function auditOf(pageId: string): Promise<unknown[]> {
  const rows = await env.DB.prepare("SELECT event_type FROM audit_log WHERE status_page_id = ? ORDER BY id")
    .bind(pageId)
    .all();
  return rows.results.map(({ event_type }) => event_type);
}

export async function versionOf(pageId: string): Promise<number> {
  const row = env.DB.prepare("SELECT version FROM status_pages WHERE id = ?").bind(pageId);
  return (await row.first<number>("version")) ?? 0;
}
