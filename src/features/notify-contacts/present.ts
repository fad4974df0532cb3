import type { z } from "zod";
import type { NotifyContact } from "../../contract/notify-contact.ts";
import { toIso } from "../../platform/clock.ts";
import type { ShownContact } from "./service.ts";

export function presentContact({ contact, value, notices }: ShownContact): z.infer<typeof NotifyContact> {
  return {
    id: contact.id,
    type: contact.type,
    value,
    label: contact.label,
    verified: contact.verified_at !== null,
    ...(notices && { notices }),
    created_at: toIso(contact.created_at),
    updated_at: toIso(contact.updated_at),
  };
}
