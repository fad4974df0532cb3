import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { Icon } from "../../ui/status-icons.tsx";
import { words } from "../words.ts";

export type ShownStatus = MonitorStatus | "maintenance";

export function statusWord(status: ShownStatus): string {
  return words("dashboard-frame").status[status];
}

/** Shape, colour and word, by default that of a monitor's status. The icon refers to the shapes that the frame draws once. */
export function StatusWord({ status, text = statusWord(status) }: { status: ShownStatus; text?: string }) {
  return (
    <span class={`status is-${status}`}>
      <Icon of={status} />
      {text}
    </span>
  );
}
