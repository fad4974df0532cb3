import { capGuard } from "../../access/plan-caps.ts";
import { requireIncidentTemplate } from "../../access/resources.ts";
import { INCIDENT_TEMPLATE_FIELDS } from "../../contract/incident-template.ts";
import { incidentTemplates } from "../../data/incident-templates/table.ts";
import { hasIncidentTemplates } from "../../data/plan-caps/read.ts";
import { resource, verbsOf } from "../../resource/verbs.ts";

export const INCIDENT_TEMPLATE = resource({
  noun: "incident template",
  audited_as: "incident_template",
  fields: INCIDENT_TEMPLATE_FIELDS,
  table: incidentTemplates,
  sorted_by: "name",
  is_public: false,
  require: requireIncidentTemplate,
});

export const templateVerbs = verbsOf(INCIDENT_TEMPLATE, {
  guardCreation: (ctx, { owner_id }) =>
    capGuard(ctx, { cap: "incident_templates", owner_id, isReached: hasIncidentTemplates(owner_id) }),
});
