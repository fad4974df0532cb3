import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsGate } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeCertificate } from "../support/certificates.ts";
import { joinNetworksOrReason, type Networks } from "../support/networks.ts";
import { PROJECT_ROOT, type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

/**
 * Locations as they are: agents in networks of their own, which lose, delay and refuse, against servers that differ by
 * network. Nothing of it is a stand-in but the host's clock, which belongs to the whole machine.
 */

const V1 = "/api/uptime/v1";
const INTERVAL_S = 10;
const ANNOUNCED_WITHIN_MS = (INTERVAL_S + 10) * 1000;
const PLACES = ["sound", "split", "lossy", "slow"] as const;
type Place = (typeof PLACES)[number];
const EVENTUALLY = { timeout: 45_000, interval: 300 };
const PROGRAM = join(PROJECT_ROOT, "node_modules/.assets/vigil-agent.mjs");
/** Sets the clock that the program sees forward by the seconds in CLOCK_FILE, whenever it is sent SIGUSR2. */
const SET_CLOCK = `
import { readFileSync } from "node:fs";
const now = Date.now;
let by = 0;
Date.now = () => now() + by;
process.on("SIGUSR2", () => { by = 1000 * Number(readFileSync(process.env.CLOCK_FILE, "utf8")); });
`;

const joined = joinNetworksOrReason({
  sound: ({ first }) => ({ "shop.internal": first, "pay.internal": first }),
  // Its resolver still knows the servers of last year.
  split: ({ second }) => ({ "shop.internal": second, "pay.internal": second }),
  lossy: ({ first }) => ({ "shop.internal": first, "pay.internal": first }),
  slow: ({ first }) => ({ "shop.internal": first, "pay.internal": first }),
});
const reason = typeof joined === "string" ? joined : null;

describe.skipIf(reason !== null)(`agents in networks of their own${reason ? ` (${reason})` : ""}`, () => {
  const networks = joined as Networks;
  const dir = temporaryDir();
  const servers: { close(): void }[] = [];
  const agents = new Map<Place, { child: ChildProcess; id: string; log: string }>();
  const received: { event: string; data: Record<string, unknown>; at: number }[] = [];
  let service: Service;
  let last: Server;
  const ports = { shop: 0, pay: 0, cut: 0, split: 0, last: 0 };
  const monitors: Record<string, string> = {};

  async function api(method: string, path: string, body?: unknown) {
    const response = await fetch(`${service.url}${V1}${path}`, {
      method,
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: an absent member is undefined and fails the assertion.
    const answer = (await response.json()) as any;
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  async function listen(server: Server | ReturnType<typeof createTlsGate>, port = 0, host = "0.0.0.0") {
    servers.push(server);
    server.listen(port, host);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  const dirOf = (place: Place) => join(dir, place);

  function start(place: Place, first?: { url: string; install_token: string }): void {
    const { id = "", log = "" } = agents.get(place) ?? {};
    const args = ["--import", join(dir, "set-clock.mjs"), PROGRAM, "run", "--dir", dirOf(place)];
    if (first) args.push("--url", first.url, "--name", place);
    const env = {
      ...process.env,
      NODE_EXTRA_CA_CERTS: join(dir, "ca.pem"),
      CLOCK_FILE: join(dir, "clock"),
      VIGIL_AGENT_UPDATES: "off",
      ...(first && { VIGIL_INSTALL_TOKEN: first.install_token }),
    };
    const child = networks.of(place).run(process.execPath, args, { env });
    const agent = { child, id, log };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text) => (agent.log += text));
    }
    agents.set(place, agent);
  }

  function agentOf(place: Place) {
    const agent = agents.get(place);
    if (!agent) throw new Error(`no agent in ${place}`);
    return agent;
  }

  async function kill(place: Place): Promise<void> {
    const { child } = agentOf(place);
    const ended = once(child, "close");
    if (child.pid) process.kill(-child.pid, "SIGKILL");
    await ended;
  }

  async function watch(name: string, fields: object, places: readonly Place[] = PLACES): Promise<void> {
    const locations = places.map((place) => `agent:${agentOf(place).id}`);
    const thresholds = { failure_threshold: 1, recovery_threshold: 1 };
    const settings = { interval: INTERVAL_S, timeout_seconds: 5, ...thresholds, confirm_outside: false };
    monitors[name] = (await api("POST", "/monitors", { name, ...settings, locations, ...fields })).id;
  }

  /** What each place found, newest first. */
  async function foundBy(name: string, place: Place) {
    const results = await api("GET", `/monitors/${monitors[name]}/results?limit=100`);
    return results.filter(({ region }: { region: string }) => region === `agent:${agentOf(place).id}`);
  }
  const statusesBy = async (name: string, place: Place) =>
    (await foundBy(name, place)).map(({ status }: { status: string }) => status);
  const statusesOf = async (name: string) => {
    const sql = "SELECT to_status FROM transitions WHERE monitor_id = ? ORDER BY seq";
    const [rows = []] = await service.execute([{ sql, params: [monitors[name] ?? ""] }]);
    return rows.map(({ to_status }) => to_status);
  };
  const outages = (name: string) =>
    received.filter(({ event, data }) => event === "monitor.down" && data.monitor_name === name);

  beforeAll(async () => {
    const authority = makeCertificate({ name: "Lab CA" });
    writeFileSync(join(dir, "ca.pem"), authority.certificate);
    writeFileSync(join(dir, "set-clock.mjs"), SET_CLOCK);
    const gateways = PLACES.map((place) => `IP:${networks.of(place).gateway}`);
    const certify = (...hosts: string[]) => {
      const { certificate: cert, key } = makeCertificate({ name: "lab", hosts, issuer: authority });
      return { cert, key };
    };
    service = await startService({ env: { RATE_LIMITS: "all=off", EGRESS_ALLOW: "127.0.0.1" } });
    const gate = createTlsGate(certify(...gateways), (near) => {
      const far = connect(Number(new URL(service.url).port), "127.0.0.1");
      near.on("error", () => far.destroy()).pipe(far);
      far.on("error", () => near.destroy()).pipe(near);
    });
    const gatePort = await listen(gate);
    const page: RequestListener = ({ url }, response) => {
      // A head that takes its time over a slow wire.
      if (url === "/heavy") response.setHeader("x-heavy", "x".repeat(8_000));
      response.end("welcome");
    };
    ports.shop = await listen(createServer(page), 0, networks.first);
    await listen(
      createServer((_request, response) => void response.end("moved")),
      ports.shop,
      networks.second,
    );
    ports.pay = await listen(createTlsServer(certify("DNS:pay.internal"), page), 0, networks.first);
    await listen(createTlsServer(certify("DNS:old.internal"), page), ports.pay, networks.second);
    ports.cut = await listen(createServer(page));
    ports.split = await listen(createServer(page));
    last = createServer((_request, response) => void response.end("ok"));
    ports.last = await listen(last);
    const receiver = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      received.push({ ...JSON.parse(body), at: Date.now() });
      response.end();
    });
    const url = `http://127.0.0.1:${await listen(receiver)}/`;
    await api("POST", "/webhooks", { name: "receiver", url, provider: "generic" });

    for (const place of PLACES) {
      const { install_token } = await api("GET", "/agents/token");
      // As a container does, whose first start enrols it.
      start(place, { url: `https://${networks.of(place).gateway}:${gatePort}`, install_token });
      const config = join(dirOf(place), "config.json");
      await vi.waitFor(() => expect(existsSync(config)).toBe(true), EVENTUALLY);
      const { agent_id } = JSON.parse(readFileSync(config, "utf8"));
      await api("PUT", `/agents/${agent_id}`, { is_location: true });
      agentOf(place).id = agent_id;
    }
    networks.of("lossy").lose(12);
    networks.of("slow").slow("64kbit");
    networks.of("split").cut(ports.cut);
    for (const place of ["split", "lossy", "slow"] as const) networks.of(place).cut(ports.split);
    const { first } = networks;
    await watch("Shop", { type: "http", target: `http://${first}:${ports.shop}/heavy`, latency_threshold_ms: 300 });
    await watch("Names", { type: "http", target: `http://shop.internal:${ports.shop}/`, expected_body: "welcome" });
    await watch("Certificate", { type: "https", target: `https://pay.internal:${ports.pay}/` });
    await watch("Cut", { type: "tcp", target: `${first}:${ports.cut}` });
    await watch("Split", { type: "tcp", target: `${first}:${ports.split}` });
    const slowly = { region_policy: "all", timeout_seconds: INTERVAL_S };
    await watch("Each", { type: "http", target: `http://${first}:${ports.last}/`, ...slowly }, [
      "sound",
      "split",
      "slow",
    ]);
    await watch("Last", { type: "http", target: `http://${first}:${ports.last}/` }, ["sound", "split", "slow"]);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    for (const place of agents.keys()) await kill(place).catch(() => {});
    for (const server of servers) server.close();
    await service?.stop();
    networks.close();
  }, START_TIMEOUT_MS);

  it("see the same target each by its own network, and one that is cut off brings nothing down", {
    timeout: 90_000,
  }, async () => {
    const places = PLACES.flatMap((place) => Object.keys(monitors).map((name) => [name, place] as const));
    const silent = async () => {
      const counts = await Promise.all(
        places
          .filter(([name, place]) => (name !== "Last" && name !== "Each") || place !== "lossy")
          .map(async ([name, place]) => ({ name, place, n: (await foundBy(name, place)).length })),
      );
      return counts.filter(({ n }) => n < 2);
    };
    await expect.poll(silent, EVENTUALLY).toEqual([]);
    expect(new Set(await statusesBy("Cut", "split"))).toEqual(new Set(["down"]));
    for (const place of ["sound", "lossy", "slow"] as const) {
      expect(await statusesBy("Cut", place), place).not.toContain("down");
    }
    for (const name of ["Shop", "Names", "Certificate", "Cut", "Last", "Each"]) expect(outages(name), name).toEqual([]);
  });

  it("that lose packets say nothing is down, and that are slow say so", async () => {
    expect(await statusesBy("Shop", "lossy")).not.toContain("down");
    expect(new Set(await statusesBy("Shop", "slow"))).toEqual(new Set(["degraded"]));
    expect(await statusesBy("Shop", "sound")).not.toContain("down");
  });

  it("whose names lead elsewhere, or to another certificate, say what they found", async () => {
    expect(new Set(await statusesBy("Names", "split"))).toEqual(new Set(["down"]));
    expect(await statusesBy("Names", "sound")).not.toContain("down");
    const [refused] = await foundBy("Certificate", "split");
    expect(refused).toMatchObject({ status: "down", message: expect.stringMatching(/certificate/i) });
    expect(await statusesBy("Certificate", "sound")).not.toContain("down");
  });

  it("leave as evidence where their names led, and the way to what failed", async () => {
    const seenBy = async (name: string, place: Place) => {
      const evidence = await api("GET", `/monitors/${monitors[name]}/evidence`);
      return evidence.find(({ location }: { location: string }) => location === `agent:${agentOf(place).id}`);
    };
    expect(await seenBy("Names", "split")).toMatchObject({
      location_name: "split",
      found: "failure",
      observation: { lookup: { name: "shop.internal", answers: [networks.second] } },
    });
    const way = async () => (await seenBy("Cut", "split"))?.observation.path?.hops.at(-1)?.address;
    await expect.poll(way, EVENTUALLY).toBe(networks.first);
  });

  it("bring a target down that most of them cannot reach, and the announcement names them", async () => {
    await expect.poll(() => outages("Split").length, EVENTUALLY).toBe(1);
    const lost = (["split", "lossy", "slow"] as const).map((place) => `agent:${agentOf(place).id}`);
    const data = outages("Split")[0]?.data ?? {};
    expect(lost).toEqual(expect.arrayContaining(data.locations_down as string[]));
    expect(data).toMatchObject({ locations_total: 4 });
    expect(await statusesBy("Split", "sound")).not.toContain("down");
  });

  it("announce an outage within the interval and ten seconds although one of three was killed just before", {
    timeout: 90_000,
  }, async () => {
    await kill("sound");
    last.closeAllConnections();
    const closedAt = Date.now();
    await new Promise((resolve) => last.close(resolve));
    // Of `Each` all have to fail, and the one that was killed was well in the slot before.
    for (const name of ["Last", "Each"]) {
      await expect.poll(() => outages(name).length, EVENTUALLY).toBe(1);
      expect((outages(name)[0]?.at ?? Number.NaN) - closedAt).toBeLessThanOrEqual(ANNOUNCED_WITHIN_MS);
    }
    start("sound");
    last = createServer((_request, response) => void response.end("ok"));
    await listen(last, ports.last);
    await expect.poll(() => statusesOf("Last"), EVENTUALLY).toEqual(["up", "down", "up"]);
  });

  it("keep the service's time while their hosts' clocks are set, and vote on", { timeout: 90_000 }, async () => {
    const { child } = agentOf("lossy");
    const setAt = Date.now();
    for (const hours of [3, -5]) {
      writeFileSync(join(dir, "clock"), String(hours * 3600));
      // The program is what `ip` became.
      if (child.pid) process.kill(child.pid, "SIGUSR2");
      const isKnown = () =>
        [...agentOf("lossy").log.matchAll(/difference_ms=(-?\d+)/g)].some(
          ([, ms]) => Math.abs(Number(ms) + hours * 3_600_000) < 5_000,
        );
      await expect.poll(isKnown, EVENTUALLY).toBe(true);
    }
    const times = async () =>
      (await foundBy("Cut", "lossy")).map(({ checked_at }: { checked_at: string }) => Date.parse(checked_at));
    await expect.poll(async () => Math.max(...(await times())), EVENTUALLY).toBeGreaterThan(setAt + 1000);
    await sleep(1000);
    expect(Math.max(...(await times()))).toBeLessThanOrEqual(Date.now() + 1000);
    expect(await statusesOf("Cut")).not.toContain("down");
  });
});
