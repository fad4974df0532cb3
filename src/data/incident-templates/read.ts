import { asc, count, eq } from "drizzle-orm";
import type { Db } from "../db.ts";
import { incidentTemplates } from "./table.ts";

export type IncidentTemplateRecord = typeof incidentTemplates.$inferSelect;

export async function findIncidentTemplate(db: Db, templateId: string): Promise<IncidentTemplateRecord | undefined> {
  const rows = await db.select().from(incidentTemplates).where(eq(incidentTemplates.id, templateId)).limit(1);
  return rows[0];
}

export async function listIncidentTemplates(db: Db, pageId: string, page: { limit: number; offset: number }) {
  const wanted = eq(incidentTemplates.status_page_id, pageId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(incidentTemplates)
      .where(wanted)
      .orderBy(asc(incidentTemplates.name), asc(incidentTemplates.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(incidentTemplates).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}
