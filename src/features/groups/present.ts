import type { Group } from "../../contract/group.ts";
import type { MonitorGroupRecord } from "../../data/monitor-groups/read.ts";
import { toIso } from "../../platform/clock.ts";

export function presentGroup(group: MonitorGroupRecord): Group {
  return {
    id: group.id,
    name: group.name,
    status_page_id: group.status_page_id,
    order: group.position,
    external_key: group.external_key,
    created_at: toIso(group.created_at),
    updated_at: toIso(group.updated_at),
  };
}
