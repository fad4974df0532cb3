import type { IncidentTemplate } from "../../contract/incident-template.ts";
import type { IncidentTemplateRecord } from "../../data/incident-templates/read.ts";
import { toIso } from "../../platform/clock.ts";

export function presentTemplate(template: IncidentTemplateRecord): IncidentTemplate {
  return {
    id: template.id,
    status_page_id: template.status_page_id,
    name: template.name,
    title: template.title,
    severity: template.severity,
    status: template.status,
    initial_update: template.initial_update,
    is_public: template.is_public,
    created_at: toIso(template.created_at),
    updated_at: toIso(template.updated_at),
  };
}
