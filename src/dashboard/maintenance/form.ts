import type { z } from "zod";
import { type Maintenance, type MaintenanceStatus, RECURRENCE_TYPES } from "../../contract/maintenance.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { zoneLabel } from "../../lib/zoned-days.ts";
import type { FormField, Option } from "../form-fields.ts";
import { listServiceOptions, pageField } from "../incidents/form.ts";
import { words } from "../words.ts";

/** How long most work takes. */
const DURATIONS = { after: "start_time", minutes: [30, 60, 120, 240] } as const;

type Window = z.output<typeof Maintenance>;

export const wordOf = (status: MaintenanceStatus): string => words("dashboard-incidents").maintenance.statuses[status];

/** A window's own fields. Affected monitors are check boxes; groups that the API named stay as they are. */
export async function maintenanceFields(
  c: AppContext,
  { pages, pageId, zone }: { pages?: readonly Option[]; pageId: string | undefined; zone: string },
): Promise<FormField[]> {
  const text = words("dashboard-incidents").maintenance.form;
  const hint = zoneLabel(zone, c.var.now);
  const services = pageId ? await listServiceOptions(c, pageId) : [];
  return [
    ...(pages ? [pageField(pages)] : []),
    { kind: "text", name: "title", label: text.title, required: true, maxlength: 200 },
    { kind: "textarea", name: "description", label: text.description, hint: text.markdown },
    { kind: "datetime", name: "start_time", label: text.starts, zone, hint, required: true },
    { kind: "datetime", name: "end_time", label: text.ends, zone, hint, required: true, durations: DURATIONS },
    ...(services.length === 0
      ? []
      : [{ kind: "several", name: "monitor_ids", label: text.services, options: services } as const]),
    { kind: "checkbox", name: "is_public", label: text.public },
    {
      ...({ kind: "select", name: "recurrence_type", label: text.repeats } as const),
      options: RECURRENCE_TYPES.map((value) => ({ value, label: text.recurrence[value] })),
    },
    {
      ...({
        kind: "number",
        name: "recurrence_interval",
        label: text.interval,
        min: 1,
        max: 1000,
        advanced: true,
      } as const),
      hint: text.interval_hint,
    },
    { kind: "datetime", name: "recurrence_end_date", label: text.until, zone, hint, advanced: true },
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

export function updateFields(): FormField[] {
  const text = words("dashboard-incidents").maintenance.form;
  return [
    { kind: "textarea", name: "message", label: text.message, hint: text.markdown, required: true },
    { kind: "checkbox", name: "notify_subscribers", label: text.notify },
  ];
}
