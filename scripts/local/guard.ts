import { type ChildProcess, spawn } from "node:child_process";
import { tracingChannel } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { basename } from "node:path";

/**
 * Reads lines of process ids; when the service dies, the pipe ends and the processes that the last line named die too.
 */
const SCRIPT = "trap '' INT TERM HUP; while read -r line; do pids=$line; done; [ -z \"$pids\" ] || kill -9 $pids";

/**
 * The Workers runtime does not notice the death of the process that started it: after a kill -9 it would live on and keep
 * port and database. A small shell in a process group of its own outlives us just long enough to take it along.
 * Must be called before the first runtime is started: it learns of each in the moment it is made.
 */
export function guardRuntimes(): void {
  const guard = spawn("sh", ["-c", SCRIPT], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  const runtimes = new Set<ChildProcess>();
  const sendPids = () => guard.stdin.write(`${Array.from(runtimes, ({ pid }) => pid).join(" ")}\n`);
  tracingChannel("child_process.spawn").subscribe({
    end: (message) => {
      if (!isSpawn(message) || basename(message.process.spawnfile) !== "workerd") return;
      const runtime = message.process;
      runtime.once("spawn", () => {
        runtimes.add(runtime);
        sendPids();
      });
      runtime.once("exit", () => {
        runtimes.delete(runtime);
        sendPids();
      });
    },
    start: () => {},
    asyncStart: () => {},
    asyncEnd: () => {},
    error: () => {},
  });
}

function isSpawn(message: object): message is { process: ChildProcess } {
  return "process" in message;
}
