import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CommandLoop } from "./commands.ts";
import { Connection } from "./connection.ts";
import { createLog } from "./log.ts";
import { type Command, Uplink } from "./uplink.ts";

const log = createLog("error", () => {});
let polls: (Command[] | Error)[];
let acks: { id: string; body: unknown }[];
let ackFailures: number;
let executed: string[];
let stopping: AbortController;

beforeEach(() => {
  vi.useFakeTimers();
  polls = [];
  acks = [];
  executed = [];
  ackFailures = 0;
  stopping = new AbortController();
});
afterEach(() => {
  stopping.abort();
  vi.useRealTimers();
});

async function serve(url: string, init: { body: string; signal: AbortSignal }): Promise<Response> {
  const { pathname } = new URL(url);
  if (!pathname.endsWith("/ack")) {
    const answer = polls.shift();
    if (answer instanceof Error) throw answer;
    if (answer) return Response.json(answer);
    return new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(init.signal.reason)));
  }
  if (ackFailures-- > 0) throw new TypeError("fetch failed");
  acks.push({ id: pathname.split("/").at(-2) ?? "", body: JSON.parse(init.body) });
  return Response.json({ acknowledged: true });
}

function start(execute: (command: Command) => Promise<unknown>) {
  const loop = new CommandLoop({
    uplink: new Uplink({ url: "https://vigil.test", token: () => "t", fetch: serve as unknown as typeof fetch }),
    connection: new Connection(log, () => Date.now()),
    log,
    execute: (command) => {
      executed.push(command.id);
      return execute(command);
    },
    acknowledged: () => {},
    pauseMs: () => 0,
  });
  void loop.run(stopping.signal);
}

const command = (type: Command["type"]): Command => ({ id: crypto.randomUUID(), type, params: {} });

describe("commands", () => {
  it("are executed in order and acknowledged with what came of them", async () => {
    const [first, second] = [command("check_now"), command("discover")];
    polls = [[first, second]];
    start(async ({ type }) => {
      if (type === "discover") throw new Error("no /proc here");
      return { status: "up" };
    });
    await vi.advanceTimersByTimeAsync(10);
    expect(acks).toEqual([
      { id: first.id, body: { ok: true, result: { status: "up" } } },
      { id: second.id, body: { ok: false, error: "no /proc here" } },
    ]);
  });

  it("are executed once, even when the acknowledgement gets lost and they come again", async () => {
    const only = command("update");
    polls = [[only], [only]];
    ackFailures = 1;
    start(async () => ({}));
    await vi.advanceTimersByTimeAsync(5000);
    expect(executed).toEqual([only.id]);
    expect(acks.map(({ id }) => id)).toEqual([only.id]);
  });

  it("are asked for again after the service was away", async () => {
    const late = command("check_now");
    polls = [new TypeError("fetch failed"), new TypeError("fetch failed"), [late]];
    start(async () => ({}));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(acks.map(({ id }) => id)).toEqual([late.id]);
  });
});
