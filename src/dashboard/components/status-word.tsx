import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { Icon } from "../../ui/status-icons.tsx";

const WORDS = {
  up: "Up",
  down: "Down",
  degraded: "Degraded",
  unknown: "Unknown",
  paused: "Paused",
  pending: "Pending",
  maintenance: "Maintenance",
} as const satisfies Record<MonitorStatus | "maintenance", string>;
export type ShownStatus = keyof typeof WORDS;

export function statusWord(status: ShownStatus): string {
  return WORDS[status];
}

/** Shape, colour and word, by default that of a monitor's status. The icon refers to the shapes that the frame draws once. */
export function StatusWord({ status, text = WORDS[status] }: { status: ShownStatus; text?: string }) {
  return (
    <span class={`status is-${status}`}>
      <Icon of={status} />
      {text}
    </span>
  );
}
