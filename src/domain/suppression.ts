/**
 * What withholds the alerts about a change of a monitor: a maintenance window, a mute, or a rule. Each holds in the same
 * way: what begins in it is announced when nothing withholds it any more, if it lasts until then.
 */
export interface Withholding {
  /** The window. */
  suppressed_by: string | null;
  muted_until: number | null;
  /** Until when a rule withholds it. */
  suppressed_until: number | null;
}

export function isWithheld({ suppressed_by, muted_until, suppressed_until }: Withholding): boolean {
  return suppressed_by !== null || muted_until !== null || suppressed_until !== null;
}
