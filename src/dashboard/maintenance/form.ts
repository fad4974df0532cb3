import type { z } from "zod";
import { type Maintenance, type MaintenanceStatus, RECURRENCE_TYPES } from "../../contract/maintenance.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { zoneLabel } from "../../lib/zoned-days.ts";
import type { FormField, Option } from "../form-fields.ts";
import { listServiceOptions, pageField } from "../incidents/form.ts";

/** How long most work takes. */
const DURATIONS = { after: "start_time", minutes: [30, 60, 120, 240] } as const;

type Window = z.output<typeof Maintenance>;

export const STATUS_WORDS: Record<MaintenanceStatus, string> = {
  scheduled: "Scheduled",
  in_progress: "In progress",
  completed: "Completed",
};

export const RECURRENCE_WORDS = { none: "Once", daily: "Daily", weekly: "Weekly", monthly: "Monthly" };

/** A window's own fields. Affected monitors are check boxes; groups that the API named stay as they are. */
export async function maintenanceFields(
  c: AppContext,
  { pages, pageId, zone }: { pages?: readonly Option[]; pageId: string | undefined; zone: string },
): Promise<FormField[]> {
  const hint = zoneLabel(zone, c.var.now);
  const services = pageId ? await listServiceOptions(c, pageId) : [];
  return [
    ...(pages ? [pageField(pages)] : []),
    { kind: "text", name: "title", label: "Title", required: true, maxlength: 200 },
    { kind: "textarea", name: "description", label: "Description", hint: "Markdown" },
    { kind: "datetime", name: "start_time", label: "Starts", zone, hint, required: true },
    { kind: "datetime", name: "end_time", label: "Ends", zone, hint, required: true, durations: DURATIONS },
    ...(services.length === 0
      ? []
      : [{ kind: "several", name: "monitor_ids", label: "Affected services", options: services } as const]),
    { kind: "checkbox", name: "is_public", label: "Show on the status page" },
    {
      ...({ kind: "select", name: "recurrence_type", label: "Repeats" } as const),
      options: RECURRENCE_TYPES.map((value) => ({ value, label: RECURRENCE_WORDS[value] })),
    },
    {
      ...({ kind: "number", name: "recurrence_interval", label: "Every", min: 1, max: 1000, advanced: true } as const),
      hint: "so many days, weeks or months",
    },
    { kind: "datetime", name: "recurrence_end_date", label: "Repeats until", zone, hint, advanced: true },
  ];
}

/** The body of the API: its targets are monitors and groups. */
export function toTargets(kept: readonly Window["targets"][number][] = []) {
  return ({ monitor_ids, ...body }: Record<string, unknown>): Record<string, unknown> => {
    if (!Array.isArray(monitor_ids)) return body;
    const monitors = monitor_ids.map((target_id) => ({ target_type: "monitor", target_id }));
    return { ...body, targets: [...monitors, ...kept.filter(({ target_type }) => target_type === "group")] };
  };
}

export const UPDATE_FIELDS: readonly FormField[] = [
  { kind: "textarea", name: "message", label: "Message", hint: "Markdown", required: true },
  { kind: "checkbox", name: "notify_subscribers", label: "Notify subscribers" },
];
