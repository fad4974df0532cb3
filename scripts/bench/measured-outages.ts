import { mapConcurrently } from "../../src/lib/map-concurrently.ts";
import type { Measure } from "./measures.ts";
import { AT_ONCE, createJobs, failAll, passAll, untilAll } from "./outages.ts";
import type { Rig } from "./rig.ts";

/** What the database may be asked for each. */
const CALLS_MAX = 3;

/** Everything fails at once; both measures are of the same time. */
export async function measureOutages(rig: Rig): Promise<Measure[]> {
  const { service, bare, receiver, scale } = rig;
  const jobs = await createJobs(service, scale.failing);
  await rig.post("/webhooks", { name: "outages", url: `${receiver.url}/outage`, events: ["monitor.down"] });
  await untilAll(service, jobs, "up");
  let calls = Number.NaN;
  return [
    {
      name: `${scale.failing} outages at once, stored`,
      unit: "s",
      baseline: "object, queue, request of each",
      async round() {
        const baseline = await timeBare(rig);
        const [units, cpu] = [await rig.units(), service.cpuSeconds()];
        const alerted = receiver.timeUntil("/outage", scale.failing);
        const from = performance.now();
        await failAll(jobs);
        await untilAll(service, jobs, "down");
        const value = (performance.now() - from) / 1000;
        const used = 1000 * (service.cpuSeconds() - cpu);
        calls = ((await rig.units()).d1_calls - units.d1_calls) / scale.failing;
        // Throws where one is lost.
        await alerted;
        await passAll(jobs);
        await untilAll(service, jobs, "up");
        // The outages and the recoveries.
        return { value, baseline, operations: 2 * scale.failing, cpu: used / scale.failing };
      },
    },
    {
      name: "database calls of an outage",
      unit: "calls",
      baseline: "limit",
      round: async () => ({ value: calls, baseline: CALLS_MAX }),
    },
  ];

  async function timeBare({ scale }: Rig): Promise<number> {
    const to = encodeURIComponent(`${receiver.url}/bare`);
    const arrived = receiver.timeUntil("/bare", scale.failing);
    await mapConcurrently(new Array(scale.failing).fill(`${bare.url}/alert/1?to=${to}`), AT_ONCE, async (address) => {
      await (await fetch(address)).arrayBuffer();
    });
    return (await arrived) / 1000;
  }
}
