import { z } from "zod";
import { ExternalKey, Id, Instant, Name } from "./common.ts";
import { OrderList } from "./monitor.ts";

export const GroupCreate = z
  .object({ name: Name, status_page_id: Id, external_key: ExternalKey.nullish() })
  .meta({ id: "GroupCreate" });
export type GroupCreate = z.infer<typeof GroupCreate>;

export const GroupUpdate = z
  .object({ name: Name.optional(), external_key: ExternalKey.nullish() })
  .meta({ id: "GroupUpdate" });
export type GroupUpdate = z.infer<typeof GroupUpdate>;

export const GroupOrder = z.object({ status_page_id: Id, groups: OrderList }).meta({ id: "GroupOrder" });
export type GroupOrder = z.infer<typeof GroupOrder>;

export const Group = z
  .object({
    id: Id,
    name: z.string(),
    status_page_id: Id,
    order: z.int(),
    external_key: z.string().nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Group" });
export type Group = z.infer<typeof Group>;
