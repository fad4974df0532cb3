/** What a database that went back in time calls pending was sent meanwhile, if it was made before `sent_before`. */
export interface Restored {
  sent_before: number;
  known_until: number;
}

export interface Ticked {
  epoch: string;
  /** A new epoch began, not the first one. */
  went_back: boolean;
  /** Null where D1 is not older than it was. */
  restored: Restored | null;
}

/** The verbs of the one object that notices when D1 or the objects went back in time. */
export interface WitnessRpc {
  /** Once a minute: compares D1 with what it was at the last tick. */
  tick(now: number): Promise<Ticked>;
}
