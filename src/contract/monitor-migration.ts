import { z } from "zod";
import { Id } from "./common.ts";

const MONITORS_MAX = 500;

export const MigrationRequest = z
  .object({ target_status_page_id: Id, monitor_ids: z.array(Id).min(1).max(MONITORS_MAX) })
  .meta({ id: "MigrationRequest" });
export type MigrationRequest = z.infer<typeof MigrationRequest>;

export const RemovedMaintenanceTarget = z.object({ maintenance_id: Id, target_id: Id });
export type RemovedMaintenanceTarget = z.infer<typeof RemovedMaintenanceTarget>;

export const MigrationResult = z
  .object({
    moved: z.number().int().meta({ description: "child monitors of moved composites included" }),
    detached_children: z.array(Id).meta({ description: "monitors that left their composite" }),
    removed_event_rules: z.array(Id),
    removed_maintenance_targets: z.array(RemovedMaintenanceTarget),
  })
  .meta({ id: "MigrationResult" });
export type MigrationResult = z.infer<typeof MigrationResult>;
