import { startBare } from "./bare.ts";
import { type BenchService, startBenchService } from "./service.ts";
import { countLost, report, type Turn, turn } from "./turns.ts";

/**
 * How fast heartbeats are taken, beside the least that any such service has to do: one call of one object that writes
 * one row. Both run in the same kind of runtime, in turns, so that what else the machine does weighs on both alike.
 */
const MONITORS = 200;
const AT_ONCE = 256;
const RATIO_AIM = 0.9;

export async function benchPush(minutes: number): Promise<void> {
  await using service = await startBenchService({});
  const beats = await createHeartbeats(service);
  await using bare = await startBare();
  const calls = beats.map((_beat, n) => `${bare.url}/object/${n}`);
  const call = () => turn(calls, bare.cpuSeconds);
  const beat = () => turn(beats, service.cpuSeconds);
  await beat();
  await call();
  const turns = { beat: [] as Turn[], call: [] as Turn[] };
  for (const end = Date.now() + minutes * 60_000; Date.now() < end; ) {
    turns.call.push(await call());
    turns.beat.push(await beat());
  }
  const bareSpeed = report("object call", turns.call);
  const ratio = (report("heartbeat", turns.beat) / bareSpeed).toFixed(2);
  console.log(`a heartbeat has ${ratio} of the object call's speed (aim: ${RATIO_AIM})`);
  console.log(`heartbeats lost of ${AT_ONCE} at once: ${await countLost(beats[0] ?? "", AT_ONCE)} (aim: 0)`);
}

async function createHeartbeats({ url, token }: BenchService): Promise<string[]> {
  const addresses: string[] = [];
  for (let n = 0; n < MONITORS; n++) {
    const response = await fetch(`${url}/api/uptime/v1/monitors`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: `beat ${n}`, type: "heartbeat", expected_interval: 3600 }),
    });
    if (response.status !== 201) throw new Error(`monitor not created: ${await response.text()}`);
    const monitor = (await response.json()) as { push_urls: { heartbeat: string } };
    addresses.push(monitor.push_urls.heartbeat);
  }
  return addresses;
}
