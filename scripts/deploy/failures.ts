import type { Platform } from "./platform.ts";

/** https://developers.cloudflare.com/analytics/graphql-api/tutorials/querying-workers-metrics/ */
const QUERY = `query Failures($account: string, $from: string, $to: string, $worker: string) {
  viewer { accounts(filter: { accountTag: $account }) {
    workersInvocationsAdaptive(limit: 1, filter: { scriptName: $worker, datetime_geq: $from, datetime_leq: $to }) {
      sum { requests errors }
    }
  } }
}`;
const MINUTE_MS = 60_000;

interface Found {
  viewer: { accounts: { workersInvocationsAdaptive: { sum: { requests: number; errors: number } }[] }[] };
}

/** Invocations of a Worker that failed. */
export interface Failures {
  count: number;
  /** Of all, 0 to 1; 0 without any. */
  share: number;
}

/** Those of the last minutes; undefined where they cannot be read. */
export async function findFailures(
  { platform, account_id, worker }: { platform: Platform; account_id: string; worker: string },
  { minutes }: { minutes: number },
): Promise<Failures | undefined> {
  const now = Date.now();
  const [from, to] = [now - minutes * MINUTE_MS, now].map((at) => new Date(at).toISOString());
  const answer = await platform.analytics(QUERY, { account: account_id, from, to, worker }).catch(() => undefined);
  if (answer === undefined) return undefined;
  const { requests, errors } = (answer as Found).viewer.accounts[0]?.workersInvocationsAdaptive[0]?.sum ?? NONE;
  return { count: errors, share: requests === 0 ? 0 : errors / requests };
}

const NONE = { requests: 0, errors: 0 };
