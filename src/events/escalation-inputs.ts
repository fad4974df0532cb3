import type { LoadedEscalation } from "../data/escalations/read.ts";
import type { EscalationInput, EscalationState } from "../domain/escalation.ts";

/** What an escalation takes notice of while everything that it is about is paused: nothing that notifies anybody. */
const TAKEN_IN_PAUSE: readonly EscalationInput["kind"][] = ["resolve", "acknowledge", "snooze"];

/** An outage goes on through the pause of its monitor, in silence. */
export function isPaused({ own, bundled }: LoadedEscalation): boolean {
  const open = [own, ...bundled].filter(({ is_over }) => !is_over);
  return open.length > 0 && open.every(({ is_paused }) => is_paused);
}

/**
 * What happened since the escalation advanced last, read off what it is about: a lost or repeated message changes nothing.
 * The tick comes last.
 */
export function listInputs(loaded: LoadedEscalation, options: Circumstances): EscalationInput[] {
  const inputs = listAllInputs(loaded, options);
  return isPaused(loaded) ? inputs.filter(({ kind }) => TAKEN_IN_PAUSE.includes(kind)) : inputs;
}

interface Circumstances {
  isBundled: boolean;
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
