import { z } from "zod";
import type { AuditRecord } from "../data/audit/read.ts";

const ChangeOfStatus = z.object({ from_status: z.string(), at: z.iso.datetime() });

/** When it happened: a change of status is earlier than the verdict, at which its entry is written. */
export function timeOfActivity({ data, created_at }: Pick<AuditRecord, "data" | "created_at">): number {
  const change = ChangeOfStatus.safeParse(data);
  return change.success ? Date.parse(change.data.at) : created_at;
}
