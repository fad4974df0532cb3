import { z } from "zod";
import { Id, Instant, Name } from "./common.ts";
import { Severity, Status, UpdateMessage } from "./incident.ts";

const FIELDS = {
  name: Name,
  title: Name,
  severity: Severity.nullish().meta({ description: "default minor" }),
  status: Status.nullish().meta({ description: "default investigating" }),
  initial_update: UpdateMessage.nullish(),
  is_public: z.boolean().nullish().meta({ description: "default false" }),
};

export const IncidentTemplateCreate = z.object(FIELDS).meta({ id: "IncidentTemplateCreate" });
export type IncidentTemplateCreate = z.infer<typeof IncidentTemplateCreate>;

export const IncidentTemplateChange = IncidentTemplateCreate.partial().meta({ id: "IncidentTemplateChange" });
export type IncidentTemplateChange = z.infer<typeof IncidentTemplateChange>;

export const IncidentTemplate = z
  .object({
    id: Id,
    status_page_id: Id,
    name: z.string(),
    title: z.string(),
    severity: Severity,
    status: Status,
    initial_update: z.string().nullable(),
    is_public: z.boolean(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "IncidentTemplate" });
export type IncidentTemplate = z.infer<typeof IncidentTemplate>;
