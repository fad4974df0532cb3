import { afterAll, beforeAll, expect, it } from "vitest";
import { type Service, START_TIMEOUT_MS, startService } from "./support.ts";

/** Refusals reach clients that are still sending, over real connections. */

let service: Service;

beforeAll(async () => {
  service = await startService();
}, START_TIMEOUT_MS);
afterAll(() => service?.stop());

const MONITORS = "/api/uptime/v1/monitors";
const MIB = 1024 * 1024;

it.each([
  ["a body just over the limit", MONITORS, true, MIB + 1, 413],
  ["a body of several times the limit", MONITORS, true, 5 * MIB, 413],
  ["a body without a credential", MONITORS, false, MIB, 401],
  ["a large push without a credential", "/api/uptime/v1/api-monitoring/push", false, MIB, 401],
  ["a body to an address that takes none", "/health", false, MIB, 405],
  ["a body to no address", "/nowhere", false, MIB, 404],
])("answers %s every time", async (_name, path, isSignedIn, bytes, status) => {
  for (let n = 0; n < 8; n++) {
    const answer = await fetch(service.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(isSignedIn && { authorization: `Bearer ${service.token}` }) },
      body: "x".repeat(bytes),
    });
    expect(answer.status).toBe(status);
    await answer.body?.cancel();
  }
});
