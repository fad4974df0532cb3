import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe } from "vitest";
import { makeCertificate } from "../certificates.ts";

/** Real servers in the foreground on 127.0.0.1, each with all it writes in a directory of its own. */
export interface RunningServer {
  ports: Record<string, number>;
  dir: string;
  stop(): Promise<void>;
}

const START_MS = 30_000;
const PACKAGES = resolve(import.meta.dirname, "../../../.ci/packages");
const PATH = [process.env.PATH, "/usr/sbin", "/sbin", ...postgresDirs()].join(":");

function postgresDirs(): string[] {
  const root = "/usr/lib/postgresql";
  return existsSync(root) ? readdirSync(root).map((version) => join(root, version, "bin")) : [];
}

/** Tests against a server that may not be installed: then they are skipped, and the title says what is missing. */
export function describeServer(command: string, title: string, body: () => void): void {
  const reason = whyNot(command);
  if (reason) describe.skip(`${title} (${reason})`, body);
  else describe(title, body);
}

function whyNot(command: string): string | null {
  const isThere = PATH.split(":").some((dir) => existsSync(join(dir, command)));
  if (!isThere) {
    const line = readFileSync(PACKAGES, "utf8")
      .split("\n")
      .find((entry) => entry.split(/\s+/)[1] === command);
    return `needs the package ${line?.split(/\s+/)[2] ?? command}`;
  }
  return process.getuid?.() === 0 ? null : "needs root";
}

export interface ServerSetup {
  /** Made anew, with `cert.pem` and `key.pem` for localhost in it, whose authority `ca.pem` this process trusts. */
  dir: string;
  /** Runs a program to its end in the directory and gives what it prints. */
  run(command: string, args: readonly string[], input?: string): string;
  write(name: string, content: string): string;
}

export interface ServerPlan {
  /** Names of the ports that the server is to listen on. */
  ports: readonly string[];
  /** The account that the server and `run` use; root where none is named. */
  user?: string;
  prepare(setup: ServerSetup, ports: Record<string, number>): { command: string; args: readonly string[] };
}

export async function startServer({ ports: names, user, prepare }: ServerPlan): Promise<RunningServer> {
  const dir = mkdtempSync(join(tmpdir(), "vigil-server-"));
  const account = user ? idsOf(user) : { uid: 0, gid: 0 };
  const options = { cwd: dir, env: { ...process.env, PATH }, ...account };
  const run: ServerSetup["run"] = (command, args, input) =>
    execFileSync(command, args, { ...options, input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
  const write: ServerSetup["write"] = (name, content) => {
    writeFileSync(join(dir, name), content, { mode: 0o600 });
    chownSync(join(dir, name), account.uid, account.gid);
    return join(dir, name);
  };
  chmodSync(dir, 0o755);
  chownSync(dir, account.uid, account.gid);
  write("cert.pem", identity.certificate);
  write("key.pem", identity.key);
  write("ca.pem", authority.certificate);
  const ports = Object.fromEntries(await freePorts(names));
  const { command, args } = prepare({ dir, run, write }, ports);

  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said = (said + text).slice(-4000)));
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => (said += error.message));
    child.once("close", () => {
      hasEnded = true;
      resolve();
    });
  });
  const stop = async () => {
    const insist = setTimeout(() => child.kill("SIGKILL"), 5000);
    if (!hasEnded) child.kill("SIGTERM");
    await ended;
    clearTimeout(insist);
    rmSync(dir, { recursive: true, force: true });
  };
  const deadline = Date.now() + START_MS;
  for (const port of Object.values(ports)) {
    while (!(await isListening(port))) {
      if (hasEnded || Date.now() > deadline) {
        await stop();
        throw new Error(`${command} did not start:\n${said}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return { ports, dir, stop };
}

const authority = makeCertificate({ name: "Vigil Test CA" });
const identity = makeCertificate({ name: "localhost", hosts: ["DNS:localhost", "IP:127.0.0.1"], issuer: authority });
setDefaultCACertificates([...getCACertificates("default"), authority.certificate]);

function idsOf(user: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync("id", [flag, user], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** All are held open until the last is known, so that no two are the same. */
async function freePorts(names: readonly string[]): Promise<[string, number][]> {
  const held = await Promise.all(
    names.map(async (name) => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return { name, server, port: (server.address() as AddressInfo).port };
    }),
  );
  await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  return held.map(({ name, port }) => [name, port]);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
