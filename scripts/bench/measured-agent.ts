import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { AGENT_OWN_MB_MAX, startBenchAgent } from "./agent.ts";
import type { Measure } from "./measures.ts";
import { startReceiver } from "./receiver.ts";
import type { Rig } from "./rig.ts";

const BARE_REQUESTS = 300;

/** An agent at work, beside a program that asks the same and does nothing else. It is watched once, and ends before others. */
export async function measureAgent({ service, scale }: Rig): Promise<Measure[]> {
  using receiver = await startReceiver();
  await using agent = await startBenchAgent(service, receiver.url, { monitors: scale.agentMonitors, interval: 10 });
  // Until each was checked for the first time and then in its own turn.
  await receiver.timeUntil("/agent", 2 * scale.agentMonitors);
  const [cpu, checks] = [agent.cpuSeconds(), receiver.count()];
  await sleep(scale.watchedMs);
  const each = (1000 * (agent.cpuSeconds() - cpu)) / (receiver.count() - checks);
  const bare = await measureBare(`${service.url}/health/bare`);
  const ownMb = agent.ownBytes() / 1e6;
  return [
    {
      name: "check by an agent",
      unit: "CPU ms",
      baseline: "one request of Node.js",
      round: async () => ({ value: each, baseline: bare }),
    },
    {
      name: "own memory of an agent",
      unit: "MB",
      baseline: "limit",
      round: async () => ({ value: ownMb, baseline: AGENT_OWN_MB_MAX }),
    },
  ];
}

/** Milliseconds of CPU that this process takes for a request by a connection of its own. */
async function measureBare(address: string): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < BARE_REQUESTS; n++) {
    await new Promise<void>((resolve, reject) => {
      const options = { agent: false as const };
      get(address, options, (response) => response.resume().on("end", resolve)).on("error", reject);
    });
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / BARE_REQUESTS;
}
