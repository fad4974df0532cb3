import { z } from "zod";
import { MONITOR_SORTS } from "../../contract/monitor.ts";
import { MONITOR_STATUSES, MONITOR_TYPES } from "../../contract/monitor-values.ts";
import { addressWith } from "../lists.ts";

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

/** Without what has its default, so that addresses stay short. */
export function addressOf(query: ListQuery): string {
  const { sort, offset, ...filter } = query;
  const place = { sort: sort === "position" ? undefined : sort, offset };
  return addressWith("/app/monitors", {
    ...filter,
    status: filter.status?.join(),
    type: filter.type?.join(),
    ...place,
  });
}

/**
 * Where a form leads whose boxes are several values of one filter: their names are `status.down`, because a name may stand in
 * an address once. Null for an address that has none of them.
 */
export function severalIn(raw: Readonly<Record<string, string>>): string | null {
  const boxes = Object.keys(raw).filter((name) => /^(status|type)\./.test(name));
  if (boxes.length === 0) return null;
  const valuesOf = (filter: string) =>
    boxes.flatMap((name) => (name.startsWith(`${filter}.`) ? [name.slice(filter.length + 1)] : []));
  const several = Object.fromEntries(
    ["status", "type"].flatMap((filter) => {
      const values = valuesOf(filter);
      return values.length === 0 ? [] : [[filter, values.join()]];
    }),
  );
  return addressOf(ListQuery.parse({ ...raw, ...several }));
}
