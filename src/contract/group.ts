import { z } from "zod";
import { ExternalKey, Id, Name } from "./common.ts";
import { type Fields, schemasOf } from "./fields.ts";
import { OrderList } from "./monitor.ts";

export const GROUP_FIELDS = {
  name: { schema: Name },
  status_page_id: { schema: Id, set_by: "creation" },
  order: { schema: z.int(), set_by: "service", column: "position" },
  external_key: { schema: ExternalKey, default: null },
} as const satisfies Fields;

export const GROUP_BODIES = schemasOf("Group", GROUP_FIELDS);

export const GroupOrder = z.object({ status_page_id: Id, groups: OrderList }).meta({ id: "GroupOrder" });
export type GroupOrder = z.infer<typeof GroupOrder>;
