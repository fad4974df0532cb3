export interface Ticked {
  epoch: string;
  /** A new epoch began, not the first one. */
  went_back: boolean;
  /** Until when a D1 that was restored knew what happened; null where D1 is not older than it was. */
  restored_to: number | null;
}

/** The verbs of the one object that notices when D1 or the objects went back in time. */
export interface WitnessRpc {
  /** Once a minute: compares D1 with what it was at the last tick. */
  tick(now: number): Promise<Ticked>;
}
