import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { issueToken } from "../../scripts/local/accounts.ts";
import { isWellFormedApiToken } from "../../src/platform/credentials.ts";
import { type Service, START_TIMEOUT_MS, startService } from "./support.ts";

/** Commands reach the database through the service's own process, which also has to read the log of every request. */

const CALLERS = 60;
const TOKENS = 30;
const ANSWER_MAX_MS = 5_000;

let service: Service;
beforeAll(async () => {
  // At this level every request is logged.
  service = await startService({ env: { LOG_LEVEL: "debug", RATE_LIMITS: "all=off" } });
}, START_TIMEOUT_MS);
afterAll(() => service?.stop());

/** The longest wait for an answer. */
async function longest(answers: () => boolean, call: () => Promise<unknown>): Promise<number> {
  let slowest = 0;
  while (answers()) {
    const startedAt = Date.now();
    await call();
    slowest = Math.max(slowest, Date.now() - startedAt);
  }
  return slowest;
}

it("makes tokens beside busy request logging, and every caller gets an answer in time", async () => {
  let isBusy = true;
  const call = async () => {
    const response = await fetch(`${service.url}/health`, { signal: AbortSignal.timeout(2 * ANSWER_MAX_MS) });
    await response.body?.cancel();
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, () => longest(() => isBusy, call)));
  callers.catch(() => {
    isBusy = false;
  });

  const tokens = new Set<string>();
  const makeToken = async () => {
    const email = `someone${tokens.size}@mail.example`;
    const token = await Promise.race([issueToken(service.execute, { email }), sleep(2 * ANSWER_MAX_MS)]);
    expect(isWellFormedApiToken(token ?? "no token in time")).toBe(true);
    tokens.add(token ?? "");
  };
  const slowestToken = await longest(() => isBusy && tokens.size < TOKENS, makeToken);
  isBusy = false;

  expect(Math.max(slowestToken, ...(await callers))).toBeLessThanOrEqual(ANSWER_MAX_MS);
  expect(tokens.size).toBe(TOKENS);
  expect(service.logs().match(/"message":"request"/g)?.length).toBeGreaterThan(10 * CALLERS);
});
