import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NOT_POSSIBLE_HERE } from "../../../scripts/local/skips.ts";

const HOST = join(import.meta.dirname, "host.sh");
const BOOT_MS = 30_000;

/** A Linux host of its own, as far as services and accounts go; it shares the network of the machine. */
export interface SystemdHost {
  /** Runs a shell script on it as root; its arguments are `$1` and so on. */
  run(script: string, ...args: string[]): { status: number | null; output: string };
  stop(): Promise<void>;
}

/** One that runs, or why this machine cannot run any. */
export async function bootSystemdHostOrReason(): Promise<SystemdHost | string> {
  if (process.getuid?.() !== 0) return "it needs root";
  if (!existsSync("/usr/lib/systemd/systemd")) return "it needs the package systemd";
  try {
    return await bootSystemdHost();
  } catch (error) {
    // Containers differ in the namespaces, mounts and control groups that they may make.
    console.error(error);
    return `${NOT_POSSIBLE_HERE}: systemd did not boot`;
  }
}

async function bootSystemdHost(): Promise<SystemdHost> {
  const dir = mkdtempSync(join(tmpdir(), "vigil-systemd-"));
  const host = spawn("sh", [HOST, dir], { stdio: ["pipe", "ignore", "inherit"] });
  const ended = once(host, "close");
  const stop = async () => {
    host.stdin.end();
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  const enter = (...command: string[]) => {
    const pid = readFileSync(join(dir, "init.pid"), "utf8").trim();
    const namespaces = ["--mount", "--pid", "--uts", "--ipc", "--cgroup", "--target", pid];
    return spawnSync("nsenter", [...namespaces, "--", ...command], {
      encoding: "utf8",
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    });
  };
  const isUp = () =>
    existsSync(join(dir, "init.pid")) && /^(running|degraded)/.test(enter("systemctl", "is-system-running").stdout);
  for (const until = Date.now() + BOOT_MS; !isUp(); await sleep(200)) {
    if (Date.now() < until) continue;
    const log = execFileSync("tail", ["-c", "2000", join(dir, "log")], { encoding: "utf8" });
    await stop();
    throw new Error(`systemd did not boot:\n${log}`);
  }
  return {
    run(script, ...args) {
      const { status, stdout, stderr } = enter("sh", "-c", script, "sh", ...args);
      return { status, output: `${stdout}${stderr}` };
    },
    stop,
  };
}
