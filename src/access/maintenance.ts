import { findMaintenance, type MaintenanceRecord } from "../data/maintenance/read.ts";
import { onPage } from "./incidents.ts";
import type { RequestScope } from "./scope.ts";

/** A maintenance window is seen by the members of its page. */
export function requireMaintenance(ctx: RequestScope, maintenanceId: string): Promise<MaintenanceRecord> {
  return onPage(ctx, "maintenance window", maintenanceId, findMaintenance);
}
