import type { LoadedEscalation } from "../data/escalations/read.ts";
import type { EscalationInput, EscalationState } from "../domain/escalation.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/durations.ts";

/**
 * What an escalation takes notice of while everything that it is about is paused, muted or in maintenance: nothing that
 * notifies anybody.
 */
const TAKEN_IN_SILENCE: readonly EscalationInput["kind"][] = ["resolve", "acknowledge", "snooze"];

/** How often an escalation looks whether its monitor is still paused; the end of the pause makes it do so at once. */
const PAUSE_REVIEW_MS = HOUR_MS;

/** The same for a window, which people may end early or extend. */
const WINDOW_REVIEW_MS = 5 * MINUTE_MS;

/** The end of the maintenance window that covers a monitor now, by its id. */
export type Covered = ReadonlyMap<string, number>;

/**
 * Until when to be silent; null: not at all. An outage goes on in silence through the pause of its monitor, through a mute
 * that somebody sets in order to be called no more, and through a maintenance window that opens on it.
 */
export function silentUntil({ own, bundled }: LoadedEscalation, covered: Covered, now: number): number | null {
  const open = [own, ...bundled].filter(({ is_over }) => !is_over);
  const ends = open.map(({ is_paused, muted_until, monitor_id }) => {
    if (is_paused) return now + PAUSE_REVIEW_MS;
    const covered_until = covered.get(monitor_id ?? "");
    const rests_until = covered_until === undefined ? now : restUntil(covered_until, now);
    return Math.max(muted_until ?? now, rests_until);
  });
  const first = Math.min(...ends);
  return open.length > 0 && first > now ? first : null;
}

/** A minute after the window, so that people read first that it is over. */
function restUntil(covered_until: number, now: number): number {
  const review_at = now + WINDOW_REVIEW_MS;
  return covered_until <= review_at ? covered_until + MINUTE_MS : review_at;
}

/**
 * What happened since the escalation advanced last, read off what it is about: a lost or repeated message changes nothing.
 * The tick comes last.
 */
export function listInputs(loaded: LoadedEscalation, options: Circumstances): EscalationInput[] {
  const inputs = listAllInputs(loaded, options);
  return options.isSilent ? inputs.filter(({ kind }) => TAKEN_IN_SILENCE.includes(kind)) : inputs;
}

interface Circumstances {
  isBundled: boolean;
  isSilent: boolean;
  now: number;
}

function listAllInputs(loaded: LoadedEscalation, { isBundled, now }: Circumstances): EscalationInput[] {
  const { state } = loaded.escalation;
  const bundling: EscalationInput[] = isBundled ? [{ kind: "bundle" }] : [];
  if (state === null)
    return [...(isBundled ? bundling : [{ kind: "start" } as const]), ...changesOf(null, loaded, now)];
  return [
    ...loaded.failures.map(
      ({ notification_key }): EscalationInput => ({
        kind: "notification_failed",
        notification_id: notification_key,
      }),
    ),
    ...bundling,
    ...changesOf(state, loaded, now),
    { kind: "tick" },
  ];
}

function changesOf(state: EscalationState | null, loaded: LoadedEscalation, now: number): EscalationInput[] {
  const isReopened = state?.status === "resolved";
  // What is reopened after its bundle was answered or over notifies by itself.
  const isAnswered = isReopened || state?.status === "acknowledged";
  const open = [loaded.own, ...(isAnswered ? [] : loaded.bundled)].filter(({ is_over }) => !is_over);
  if (open.length === 0) return [{ kind: "resolve" }];
  const isAcknowledged = open.every(({ acknowledged_at }) => acknowledged_at !== null);
  if (isAcknowledged) return [...(isReopened ? [{ kind: "reopen" } as const] : []), { kind: "acknowledge" }];
  const until = loaded.escalation.snoozed_until;
  if (until !== null && until > now && !isReopened) return [{ kind: "snooze", until }];
  if (isAnswered) return [{ kind: "reopen" }];
  return state?.status === "bundled" && !isNotifiedByBundle(loaded) ? [{ kind: "unbundle" }] : [];
}

/** Deleted, over, or acknowledged before this one was reopened, the escalation of the bundle notifies nobody of it. */
function isNotifiedByBundle({ leader }: LoadedEscalation): boolean {
  const status = leader?.state?.status;
  return status === "active" || status === "snoozed" || status === "exhausted";
}
