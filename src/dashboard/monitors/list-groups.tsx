import type { Child } from "hono/jsx";
import { MONITOR_STATUSES, type MonitorStatus } from "../../contract/monitor-values.ts";
import type { MonitorPlace } from "../../data/monitor-settings/read.ts";
import { StatusWord, statusWord } from "../components/status-word.tsx";

export interface MonitorGroup {
  place: MonitorPlace;
  name: string;
  counts: Partial<Record<MonitorStatus, number>>;
}

export const placeKey = ({ page, group }: MonitorPlace): string => `${page} ${group}`;

/** What stands in one place, below a head that says how it is and folds it away. */
export function GroupOfMonitors({ group, children }: { group: MonitorGroup; children: Child }) {
  const id = `place-${placeKey(group.place).replace(" ", "-")}`;
  return (
    <details class="monitor-group" open id={id}>
      <summary>
        <h2 dir="auto">{group.name}</h2>
        <span id={`${id}-counts`} class="quiet" data-live>
          {MONITOR_STATUSES.flatMap((status) => {
            const count = group.counts[status] ?? 0;
            if (count === 0) return [];
            return [<StatusWord status={status} text={`${count} ${statusWord(status).toLowerCase()}`} />, " "];
          })}
        </span>
      </summary>
      {children}
    </details>
  );
}
