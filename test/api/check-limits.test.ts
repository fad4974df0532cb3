import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Plan } from "../../src/contract/plan.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, createClientUnder, V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";
import { recordingEnv } from "../support/queues.ts";

const outside = vi.spyOn(globalThis, "fetch");
beforeEach(() => {
  outside.mockReset().mockImplementation(async () => new Response("ok"));
  // Limits count by the minute, which must not turn between two requests.
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => void vi.useRealTimers());

const DEFAULTS = { RATE_LIMITS: "" };
/** Names of sink.test, which the tests may reach; each test takes one that nobody else checks. */
const freshHost = () => `h-${newId()}.sink.test`;
const settingsFor = (...hosts: string[]) => ({ ...DEFAULTS, EGRESS_ALLOW: hosts.join(",") });

async function limited(plan: Plan, settings: Record<string, unknown>) {
  const account = await createAccount({ plan });
  const client = createClientUnder(settings, account.token);
  const tryOut = (target: string, type = "http") =>
    client.post(`${V1}/monitors/test`, { name: "x", type, target, interval: 300 });
  return { account, client, tryOut };
}

const countOf = (statuses: number[], status: number) => statuses.filter((each) => each === status).length;
async function times(count: number, ask: (n: number) => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) statuses.push((await ask(n)).status);
  return statuses;
}

describe("checks on demand and trials", () => {
  it("are 30 a minute for one user, however many tokens, and leave other requests alone", async () => {
    const { account, client, tryOut } = await limited("self_hosted", DEFAULTS);
    const second = (await account.client.post(`${CORE}/user/api-tokens`, { name: "more" })).body.token;
    const other = createClientUnder(DEFAULTS, second);
    const statuses = await times(20, () => tryOut("http://sink.test/"));
    statuses.push(
      ...(await times(20, () =>
        other.post(`${V1}/monitors/test`, { name: "x", type: "http", target: "http://sink.test/" }),
      )),
    );
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([30, 10]);
    expect(outside).toHaveBeenCalledTimes(30);
    expect((await client.get(`${V1}/monitors`)).status).toBe(200);
  });

  it("are 10 a minute for one host, across all users and spellings of the target", async () => {
    const host = freshHost();
    const settings = settingsFor(host);
    const [one, two] = [await limited("free", settings), await limited("business", settings)];
    const written = [
      `http://${host}/`,
      `http://${host.toUpperCase()}/x`,
      `https://${host}/?n=1`,
      `http://${host}:8080/`,
    ];
    const statuses = [
      ...(await times(8, (n) => one.tryOut(written[n % 4] ?? ""))),
      ...(await times(8, (n) => two.tryOut(written[n % 4] ?? ""))),
    ];
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([10, 6]);
    const refused = await one.tryOut(written[0] ?? "");
    expect(refused.headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(outside).toHaveBeenCalledTimes(10);
  });

  it("count for one host with the checks of stored monitors", async () => {
    const host = freshHost();
    const { client, tryOut } = await limited("free", settingsFor(host));
    const monitor = await createMonitor(client, { target: `http://${host}/`, interval: 300, paused: true });
    await env.DB.prepare("UPDATE monitors SET paused = 0, config_version = config_version + 1 WHERE id = ?")
      .bind(monitor.id)
      .run();
    const statuses = await times(6, () => client.post(`${V1}/monitors/${monitor.id}/check`));
    statuses.push(...(await times(6, () => tryOut(`http://${host}/`))));
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([10, 2]);
  });

  it("cause no more checks of a host by resuming a monitor again and again", async () => {
    const host = freshHost();
    const { env: bindings, checks, slow } = recordingEnv(settingsFor(host));
    const { client } = await limited("free", bindings);
    const monitor = await createMonitor(client, { target: `http://${host}/`, interval: 300, paused: true });
    for (let n = 0; n < 15; n++) {
      expect((await client.post(`${V1}/monitors/${monitor.id}/resume`)).status).toBe(200);
      expect((await client.post(`${V1}/monitors/${monitor.id}/pause`)).status).toBe(200);
    }
    const atOnce = [...checks, ...slow].filter(({ body }) => body.monitor_id === monitor.id);
    expect(atOnce).toHaveLength(10);
  });

  it("have no limit per host on an operator's own service, unless the operator sets one", async () => {
    const host = freshHost();
    const own = await limited("self_hosted", settingsFor(host));
    expect(countOf(await times(15, () => own.tryOut(`http://${host}/`)), 200)).toBe(15);
    const set = await limited("self_hosted", { ...settingsFor(host), RATE_LIMITS: "all=off,check_host=2" });
    expect(await times(3, () => set.tryOut(`http://${host}/`))).toEqual([200, 200, 429]);
  });

  it("are not counted where the classes are switched off", async () => {
    const host = freshHost();
    const { tryOut } = await limited("free", { ...settingsFor(host), RATE_LIMITS: "all=off" });
    expect(countOf(await times(35, () => tryOut(`http://${host}/`)), 200)).toBe(35);
  });
});
