import { startBare } from "./bare.ts";
import { type BenchService, startBenchService } from "./service.ts";
import { countLost, median, report, type Turn, turn } from "./turns.ts";

/**
 * How fast heartbeats are taken, beside the least that any such service has to do: one call of one object that writes
 * one row. Both run in the same kind of runtime, in turns, so that what else the machine does weighs on both alike.
 */
const MONITORS = 200;
const AT_ONCE = 256;
const RATIO_AIM = 0.9;
/** Short, so that both turns of a pair meet the same machine: what else it does changes within seconds. */
const TURN_MS = 500;

export async function benchPush(minutes: number): Promise<void> {
  await using service = await startBenchService({});
  const beats = await createHeartbeats(service);
  // One at a time, because the CPU time of all that this process started is counted together.
  const shortest = await compare({ service, beats, minutes: minutes / 2, name: "object call" });
  const answer = await fetch(beats[0] ?? "");
  const equal = await compare({
    service,
    // New ones, as the objects that they are compared with: what they have written slows both down.
    beats: await createHeartbeats(service),
    minutes: minutes / 2,
    name: "object call with an equal answer",
    answer,
  });
  console.log(`a heartbeat has ${shortest.toFixed(2)} of the object call's speed (aim: ${RATIO_AIM})`);
  console.log(`and ${equal.toFixed(2)} where the object call is answered with the same headers and body`);
  console.log(`heartbeats lost of ${AT_ONCE} at once: ${await countLost(beats[0] ?? "", AT_ONCE)} (aim: 0)`);
}

interface Comparison {
  service: BenchService;
  beats: readonly string[];
  minutes: number;
  name: string;
  /** What the object calls are answered with. */
  answer?: Response;
}

async function compare({ service, beats, minutes, name, answer }: Comparison): Promise<number> {
  await using bare = await startBare(answer);
  const calls = Array.from({ length: MONITORS }, (_, n) => `${bare.url}/object/${n}`);
  await turn(beats, service.cpuSeconds);
  await turn(calls, bare.cpuSeconds);
  const turns = { beat: [] as Turn[], call: [] as Turn[] };
  for (const end = Date.now() + minutes * 60_000; Date.now() < end; ) {
    turns.call.push(await turn(calls, bare.cpuSeconds, { turnMs: TURN_MS }));
    turns.beat.push(await turn(beats, service.cpuSeconds, { turnMs: TURN_MS }));
  }
  report(name, turns.call);
  report("heartbeat", turns.beat);
  return median(turns.beat.map((each, n) => speedOf(each) / speedOf(turns.call[n] ?? each)));
}

function speedOf({ answers, seconds }: Turn): number {
  return answers / seconds;
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
