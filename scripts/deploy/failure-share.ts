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

/**
 * Which part of the invocations of a Worker failed in the last minutes, of 0 to 1; 0 without any invocation, undefined
 * where the login may not read it.
 */
export async function findFailureShare(
  { platform, account_id, worker }: { platform: Platform; account_id: string; worker: string },
  { minutes }: { minutes: number },
): Promise<number | undefined> {
  const now = Date.now();
  const [from, to] = [now - minutes * MINUTE_MS, now].map((at) => new Date(at).toISOString());
  const found = (await platform.analytics(QUERY, { account: account_id, from, to, worker })) as Found | undefined;
  const sum = found?.viewer.accounts[0]?.workersInvocationsAdaptive[0]?.sum ?? { requests: 0, errors: 0 };
  return found && (sum.requests === 0 ? 0 : sum.errors / sum.requests);
}
