import { z } from "zod";
import { MONITOR_SORTS } from "../../contract/monitor.ts";
import { MONITOR_STATUSES, MONITOR_TYPES } from "../../contract/monitor-values.ts";

const OFFSET_MAX = 10_000;

const blank = (text: string | undefined) => (text?.trim() ? text.trim() : undefined);
/** Several values of one filter stand in the address as the API has them: `down,paused`. */
const listOf = <Value extends string>(values: readonly Value[]) =>
  z
    .string()
    .transform((chosen) => chosen.split(","))
    .pipe(z.array(z.enum(values)))
    .optional()
    .catch(undefined);
const text = z.string().max(200).transform(blank).optional().catch(undefined);
export const ListQuery = z.object({
  q: text,
  status: listOf(MONITOR_STATUSES),
  type: listOf(MONITOR_TYPES),
  tag: text,
  page: z.uuid().optional().catch(undefined),
  group: z.uuid().optional().catch(undefined),
  sort: z.enum(MONITOR_SORTS).default("position").catch("position"),
  offset: z.coerce.number().int().min(0).max(OFFSET_MAX).default(0).catch(0),
});
export type ListQuery = z.output<typeof ListQuery>;
