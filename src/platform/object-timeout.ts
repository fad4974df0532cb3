import { SECOND_MS } from "../lib/durations.ts";

/** How long a job waits for an object, which itself waits for at most a few queries of D1. */
export const OBJECT_TIMEOUT_MS = 20 * SECOND_MS;
