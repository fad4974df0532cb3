import { z } from "zod";
import { Id, Name } from "./common.ts";
import { type Bodies, type Fields, schemasOf } from "./fields.ts";
import { Severity, Status, UpdateMessage } from "./incident.ts";

export const INCIDENT_TEMPLATE_FIELDS = {
  status_page_id: { schema: Id, set_by: "service" },
  name: { schema: Name },
  title: { schema: Name },
  severity: { schema: Severity, default: "minor" },
  status: { schema: Status, default: "investigating" },
  initial_update: { schema: UpdateMessage, default: null },
  is_public: { schema: z.boolean(), default: false },
} as const satisfies Fields;

export const INCIDENT_TEMPLATE_BODIES = schemasOf("IncidentTemplate", INCIDENT_TEMPLATE_FIELDS);
export type IncidentTemplate = Bodies<typeof INCIDENT_TEMPLATE_FIELDS>["Shown"];
