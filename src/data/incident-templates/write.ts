import { eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { IncidentTemplateRecord } from "./read.ts";
import { incidentTemplates } from "./table.ts";

export function insertIncidentTemplate(db: Db, template: IncidentTemplateRecord): Statement {
  return db.insert(incidentTemplates).values(template);
}

type TemplateChange = Pick<IncidentTemplateRecord, "id"> & Partial<IncidentTemplateRecord>;

export function updateIncidentTemplate(db: Db, { id, ...change }: TemplateChange): Statement {
  return db.update(incidentTemplates).set(change).where(eq(incidentTemplates.id, id));
}

export function deleteIncidentTemplate(db: Db, templateId: string): Statement {
  return db.delete(incidentTemplates).where(eq(incidentTemplates.id, templateId));
}
