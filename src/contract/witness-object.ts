/** The verbs of the one object that notices when D1 or the objects went back in time. */
export interface WitnessRpc {
  /** Once a minute: compares D1 with what it was at the last tick. `went_back`: a new epoch began, not the first one. */
  tick(now: number): Promise<{ epoch: string; went_back: boolean }>;
}
