import { BULK_RESULTS_MAX } from "../contract/agent.ts";
import type { StoredResult } from "./buffer.ts";
import type { Uplink } from "./uplink.ts";
import { UplinkError } from "./uplink-error.ts";

/** Choice: half of what a body may have, because the limit counts bytes and this counts characters. */
const BODY_CHARACTERS_MAX = 512 * 1024;
/** A service that answers so has looked at the results; any other refusal is about the call itself. */
const REFUSES_CONTENT: ReadonlySet<number> = new Set([400, 413, 422]);

export interface Upload {
  results: readonly StoredResult[];
  /** Called as soon as the service has these results, or will never take them, so that a later error loses nothing. */
  done(numbers: number[]): void;
  refused(result: StoredResult, reason: string): void;
}

/**
 * Sends results of all monitors in the order in which they were measured, many in a request. Throws the UplinkError after
 * which trying again makes sense. This is the one place that knows the route, and how it answers what it cannot accept.
 */
export async function uploadResults(uplink: Uplink, { results, done, refused }: Upload): Promise<void> {
  for (const batch of batchesOf(results)) await uploadBatch(uplink, { results: batch, done, refused });
}

async function uploadBatch(uplink: Uplink, { results, done, refused }: Upload): Promise<void> {
  let rejected: { index: number; error: string }[];
  try {
    ({ rejected } = await uplink.submitResults(results.map(wireFormOf)));
  } catch (error) {
    if (!(error instanceof UplinkError) || !REFUSES_CONTENT.has(error.status ?? 0)) throw error;
    if (results.length > 1) {
      // The service refuses the whole list for one result that is not valid, so each half is tried.
      const middle = Math.ceil(results.length / 2);
      await uploadBatch(uplink, { results: results.slice(0, middle), done, refused });
      await uploadBatch(uplink, { results: results.slice(middle), done, refused });
      return;
    }
    rejected = [{ index: 0, error: error.message }];
  }
  for (const { index, error } of rejected) {
    const result = results[index];
    if (result) refused(result, error);
  }
  done(results.map(({ n }) => n));
}

function batchesOf(results: readonly StoredResult[]): StoredResult[][] {
  const batches: StoredResult[][] = [];
  let characters = 0;
  for (const result of results) {
    const own = JSON.stringify(result).length;
    const last = batches.at(-1);
    if (last && last.length < BULK_RESULTS_MAX && characters + own <= BODY_CHARACTERS_MAX) {
      last.push(result);
      characters += own;
    } else {
      batches.push([result]);
      characters = own;
    }
  }
  return batches;
}

function wireFormOf({ monitor_id, status, latency_ms, message, checked_at, ...shown }: StoredResult) {
  const { details, evidence, observation, phases } = shown;
  const measured = { monitor_id, status, latency_ms, message, checked_at: new Date(checked_at).toISOString() };
  return { ...measured, details, evidence, observation, phases };
}
