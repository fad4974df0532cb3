import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AGENT_ENV, AGENT_FLAGS } from "../../src/agent/frugality.ts";
import { mapConcurrently } from "../../src/lib/map-concurrently.ts";
import { ownBytesOf } from "./processes.ts";
import { startReceiver } from "./receiver.ts";
import { API, type BenchService, cpuSecondsOfProcess, send, startBenchService } from "./service.ts";

/**
 * The agent as it is installed, with as many monitors as one may have, against real targets: what it takes of its host.
 * The same figures, as the agent itself reports them, stand in the view Agents.
 */
const PROGRAM = resolve(import.meta.dirname, "../../node_modules/.assets/vigil-agent.mjs");
const MONITORS = 1_000;
const INTERVAL_SECONDS = 60;
/** What the agent may take of its host beside the pages of Node.js itself, which the kernel shares and can drop. */
export const AGENT_OWN_MB_MAX = 60;
const CREATED_AT_ONCE = 16;
const MINUTE_MS = 60_000;

export interface BenchAgent extends AsyncDisposable {
  /** CPU seconds that it has used so far. */
  cpuSeconds(): number;
  /** What nothing else shares with it. */
  ownBytes(): number;
}

/** An agent that runs so many monitors, each of which asks an address of its own below `target`. */
export async function startBenchAgent(
  service: BenchService,
  target: string,
  { monitors, interval }: { monitors: number; interval: number },
): Promise<BenchAgent> {
  const dir = mkdtempSync(join(tmpdir(), "vigil-bench-agent-"));
  const program = join(dir, "vigil-agent.mjs");
  copyFileSync(PROGRAM, program);
  const headers = { authorization: `Bearer ${service.token}` };
  const minted = await fetch(`${service.url}${API}/agents/token`, { headers });
  const { install_token } = (await minted.json()) as { install_token: string };
  const env = { ...process.env, LOG_LEVEL: "warn", VIGIL_INSTALL_TOKEN: install_token, VIGIL_AGENT_UPDATES: "off" };
  const arguments_ = [program, "enroll", "--url", service.url, "--dir", dir, "--name", "bench"];
  execFileSync(process.execPath, arguments_, { env, stdio: "ignore" });
  const { agent_id } = JSON.parse(readFileSync(join(dir, "config.json"), "utf8"));
  const numbers = Array.from({ length: monitors }, (_, n) => n);
  await mapConcurrently(numbers, CREATED_AT_ONCE, (n) => {
    const body = { name: `Rack ${n}`, type: "http", interval, agent_id, target: `${target}/agent/${n}` };
    return send(service, "POST", `${API}/monitors`, body);
  });
  const child = spawn(process.execPath, [...AGENT_FLAGS, program, "run", "--dir", dir], {
    env: { ...env, ...AGENT_ENV },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const pid = child.pid ?? 0;
  return {
    cpuSeconds: () => cpuSecondsOfProcess(pid),
    ownBytes: () => ownBytesOf(pid),
    async [Symbol.asyncDispose]() {
      const ended = once(child, "close");
      child.kill("SIGTERM");
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export async function benchAgent(minutes: number): Promise<void> {
  using receiver = await startReceiver();
  await using service = await startBenchService({ EGRESS_ALLOW: "127.0.0.1" });
  await using agent = await startBenchAgent(service, receiver.url, { monitors: MONITORS, interval: INTERVAL_SECONDS });
  // Until each was checked for the first time and then in its own turn.
  await sleep(2 * INTERVAL_SECONDS * 1000);
  console.log(`measuring ${minutes} minutes …`);
  const [cpu, checks] = [agent.cpuSeconds(), receiver.count()];
  let bytes = 0;
  for (const end = Date.now() + minutes * MINUTE_MS; Date.now() < end; await sleep(1000)) {
    bytes = Math.max(bytes, agent.ownBytes());
  }
  console.table({
    "checks a minute": { value: Math.round((receiver.count() - checks) / minutes), target: MONITORS },
    "share of a core (%)": { value: round((100 * (agent.cpuSeconds() - cpu)) / (60 * minutes)), target: "≤ 1" },
    "most memory of its own (MB)": { value: round(bytes / 1e6), target: `≤ ${AGENT_OWN_MB_MAX}` },
  });
}

const round = (value: number) => Math.round(100 * value) / 100;
