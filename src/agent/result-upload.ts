import type { StoredResult } from "./buffer.ts";
import { type Uplink, UplinkError } from "./uplink.ts";

/** What the route takes at once. */
const BATCH_MAX = 100;

export interface Upload {
  results: readonly StoredResult[];
  /** Called as soon as the service has these results, or will never take them, so that a later error loses nothing. */
  done(numbers: number[]): void;
  refused(result: StoredResult, reason: string): void;
}

/**
 * Sends results, each monitor's in order. Throws the UplinkError after which trying again makes sense. This is the one
 * place that knows the route, and how it answers results that it cannot accept.
 */
export async function uploadResults(uplink: Uplink, { results, done, refused }: Upload): Promise<void> {
  for (const batch of batchesOf(results)) {
    const reason = await refusalOf(uplink, batch);
    if (reason === null) {
      done(batch.map(({ n }) => n));
    } else if (batch.length === 1 || reason.isForAll) {
      for (const result of batch) refused(result, reason.message);
      done(batch.map(({ n }) => n));
    } else {
      // One result that cannot be true refuses the whole list.
      for (const result of batch) await uploadResults(uplink, { results: [result], done, refused });
    }
  }
}

function batchesOf(results: readonly StoredResult[]): StoredResult[][] {
  const byMonitor = new Map<string, StoredResult[]>();
  for (const result of results) {
    const known = byMonitor.get(result.monitor_id);
    if (known) known.push(result);
    else byMonitor.set(result.monitor_id, [result]);
  }
  return [...byMonitor.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / BATCH_MAX) }, (_, n) => all.slice(n * BATCH_MAX, (n + 1) * BATCH_MAX)),
  );
}

/** `isForAll`: the monitor is not this agent's any more. */
async function refusalOf(
  uplink: Uplink,
  batch: readonly StoredResult[],
): Promise<{ message: string; isForAll: boolean } | null> {
  const body = batch.map(({ status, latency_ms, message, checked_at, details, evidence }) => {
    return { status, latency_ms, message, checked_at: new Date(checked_at).toISOString(), details, evidence };
  });
  try {
    await uplink.submitResults(batch[0]?.monitor_id ?? "", body);
    return null;
  } catch (error) {
    if (!(error instanceof UplinkError) || error.kind !== "refused") throw error;
    return { message: error.message, isForAll: error.status === 403 || error.status === 404 };
  }
}
