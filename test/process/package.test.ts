import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPort } from "../../scripts/local/port.ts";
import { S3Server } from "../support/s3-server.ts";
import { bootSystemdHostOrReason, type SystemdHost } from "../support/systemd/run-systemd.ts";
import { leftoversOf, PROJECT_ROOT, runNpm, temporaryDir } from "./support.ts";

/** What somebody has who installed the packed file into an empty folder, with the packages that it names. */

const PATIENCE_MS = 120_000;
const booted = await bootSystemdHostOrReason();
const reason = typeof booted === "string" ? booted : null;
const DAY = new Date().toISOString().slice(0, 10);

const dir = temporaryDir();
const installed = join(dir, "installed/node_modules");
const launcher = join(installed, "vigil/scripts/local/launch.js");
const stateDir = join(dir, "state");
const backupDir = join(dir, "backups");

let installation: Promise<string> | undefined;
/** Gives the packed file. */
const install = () => (installation ??= packAndInstall());

async function packAndInstall(): Promise<string> {
  const { code, stdout, stderr } = await runNpm(["run", "--silent", "package"]);
  expect(code, stderr).toBe(0);
  const packed = join(PROJECT_ROOT, stdout.trim());
  for (const folder of [join(installed, "vigil"), join(installed, ".bin"), join(dir, "node_modules")]) {
    mkdirSync(folder, { recursive: true });
  }
  execFileSync("tar", ["-xzf", packed, "--strip-components=1", "-C", join(installed, "vigil")]);
  symlinkSync("../vigil/scripts/local/launch.js", join(installed, ".bin/vigil"));
  // As npm would; no test reaches its registry.
  symlinkSync(join(PROJECT_ROOT, "node_modules/miniflare"), join(dir, "node_modules/miniflare"));
  return packed;
}

describe("the package", { timeout: PATIENCE_MS }, () => {
  let packed: string;
  beforeAll(async () => {
    packed = await install();
  }, PATIENCE_MS);

  function spawnVigil(args: string[], env: Record<string, string> = {}): ChildProcess {
    const full = { PATH: process.env.PATH ?? "", HOME: dir, STATE_DIR: stateDir, PORT: "0", ...env };
    return spawn(process.execPath, [launcher, ...args], { cwd: dir, env: full, stdio: ["ignore", "pipe", "pipe"] });
  }

  async function vigil(args: string[], env?: Record<string, string>) {
    const child = spawnVigil(args, env);
    if (!child.stdout || !child.stderr) throw new Error("no output");
    const [[code], stdout, stderr] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
    return { code, stdout, stderr };
  }

  async function serve(env?: Record<string, string>) {
    const child = spawnVigil(["serve"], env);
    let log = "";
    for (const output of [child.stdout, child.stderr]) output?.setEncoding("utf8").on("data", (part) => (log += part));
    const ended = once(child, "close");
    const ready = () => /^ready (http\S+)$/m.exec(log)?.[1];
    await Promise.race([expect.poll(ready, { timeout: PATIENCE_MS, interval: 50 }).toBeDefined(), ended]);
    const url = ready();
    if (url === undefined) throw new Error(`vigil serve ended:\n${log}`);
    const stop = async () => {
      child.kill("SIGTERM");
      await ended;
    };
    return { url, log: () => log, stop };
  }

  it("holds what a service needs and nothing else", () => {
    const files = execFileSync("tar", ["-tzf", packed], { encoding: "utf8" }).trim().split("\n");
    const roots = new Set(files.map((file) => file.split("/")[1]));
    expect([...roots].sort()).toEqual(
      [
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "assets",
        "migrations",
        "package.json",
        "packaging",
        "scripts",
        "service",
      ].sort(),
    );
    expect(files.filter((file) => /\.(ts|tsx|map)$/.test(file))).toEqual([]);
    expect(statSync(packed).size).toBeLessThan(12_000_000);
    const manifest = JSON.parse(readFileSync(join(installed, "vigil/package.json"), "utf8"));
    expect(Object.keys(manifest.dependencies)).toEqual(["miniflare"]);
    const config = readFileSync(join(installed, "vigil/service/config.json"), "utf8");
    expect(config).not.toContain(PROJECT_ROOT);
  });

  it("runs the service, which backs itself up, tries its backup, and leaves no process behind", async () => {
    // As a test leaves it that was cut off.
    mkdirSync(join(backupDir, "check-cutoff"), { recursive: true, mode: 0o700 });
    const bucket = new S3Server();
    const passphrase = { BACKUP_PASSPHRASE: "correct horse" };
    const service = await serve({
      ...(await bucket.start()),
      ...passphrase,
      BACKUP_DIR: backupDir,
      PUBLIC_URL: "https://status.example.com",
      CLIENT_ADDRESS_HEADER: "X-Real-IP",
    });
    const link = /https:\/\/status\.example\.com\/app\/sign-in\/link\?token=\w+/;
    expect(service.log()).toMatch(link);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    const token = await vigil(["token", "--email", "you@your.example"]);
    expect(token).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sk_svc_/) });
    // The running service knows its address; the environment of the command does not.
    expect((await vigil(["token", "--email", "you@your.example", "--sign-in-link"])).stdout).toMatch(link);

    await expect.poll(() => service.log(), { timeout: PATIENCE_MS }).toContain("restored as a test");
    expect(readdirSync(backupDir)).toEqual([`vigil-${DAY}.backup`]);
    expect([...bucket.objects.keys()]).toEqual([`of vigil/vigil-${DAY}.backup`]);
    bucket.stop();
    const { stdout } = await vigil(["doctor", "--json"]);
    const findings = (JSON.parse(stdout) as { subject: string; isWell: boolean }[]).map(
      ({ subject, isWell }) => [subject, isWell] as const,
    );
    expect(Object.fromEntries(findings)).toMatchObject({
      state: true,
      running: true,
      proxy: true,
      encryption: true,
      address: false,
      mail: false,
      backups: true,
      "restore test": true,
    });
    await service.stop();
    expect(await leftoversOf(stateDir)).toEqual([]);

    const other = join(dir, "other");
    const restored = await vigil(["restore", join(backupDir, `vigil-${DAY}.backup`)], {
      ...passphrase,
      STATE_DIR: other,
    });
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("vigil serve") });
    const second = await serve({ STATE_DIR: other });
    const me = await fetch(`${second.url}/api/core/v1/auth/me`, {
      headers: { authorization: `Bearer ${/sk_svc_\w+/.exec(service.log())?.[0]}` },
    });
    expect(await me.json()).toMatchObject({ email: "owner@localhost" });
    await second.stop();
  });

  it("keeps what was there before another release migrates it", async () => {
    const prepared = join(stateDir, "prepared.json");
    writeFileSync(
      prepared,
      JSON.stringify({ ...JSON.parse(readFileSync(prepared, "utf8")), digest: "of another release" }),
    );
    const service = await serve({ BACKUP_DIR: backupDir });
    expect(readdirSync(backupDir).sort()).toEqual([
      `vigil-${DAY}.backup`,
      expect.stringMatching(/^vigil-before-upgrade-.*\.backup$/),
    ]);
    await service.stop();
  });

  it.each([
    [{ CLIENT_ADDRESS_HEADER: "X-Real-IP" }, "203.0.113.9"],
    [{ CLIENT_ADDRESS_HEADER: "" }, "127.0.0.1"],
    [{ PUBLIC_URL: "http://vigil.localhost" }, "127.0.0.1"],
    [{}, "198.51.100.1"],
  ])("believes with the settings %j that a request comes from %s", async (settings, address) => {
    const service = await serve(settings);
    const link = new URL((await vigil(["token", "--email", "owner@localhost", "--sign-in-link"])).stdout.trim());
    const headers = {
      "cf-connecting-ip": "198.51.100.1",
      "x-real-ip": "198.51.100.2, 203.0.113.9",
      origin: link.origin,
    };
    const signedIn = await fetch(service.url + link.pathname + link.search, {
      method: "POST",
      headers,
      redirect: "manual",
    });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((each) => each.split(";")[0])
      .join("; ");
    const sessions = await fetch(`${service.url}/api/core/v1/auth/sessions`, { headers: { cookie } });
    const [current] = ((await sessions.json()) as { ip: string; is_current: boolean }[]).filter(
      ({ is_current }) => is_current,
    );
    expect(current?.ip).toBe(address);
    await service.stop();
  });

  it("is released with its checksums and the list of what is in it, under the tag of its version alone", async () => {
    const wrong = await runNpm(["run", "--silent", "release", "--", "--tag", "v999.0.0"]);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("the tag is v999.0.0") });
    expect((await runNpm(["run", "--silent", "release"])).code).toBe(0);
    const release = join(PROJECT_ROOT, "dist/release");
    execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: release });
    const [bill = ""] = readdirSync(release).filter((file) => file.endsWith(".cdx.json"));
    const { components } = JSON.parse(readFileSync(join(release, bill), "utf8")) as { components: { name: string }[] };
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["hono", "zod", "miniflare", "workerd"]));
    for (const tool of ["wrangler", "vitest", "typescript"]) expect(names).not.toContain(tool);
  });

  it("says what a checkout is needed for", async () => {
    const { code, stderr } = await vigil(["backup", "x.backup", "--remote"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "deployments are managed from a checkout of the source: docs/deploy.md\n",
    });
  });

  it("names all commands", async () => {
    const { stdout, stderr } = await vigil(["--help"]);
    expect(stderr + stdout).toMatch(/vigil serve[\s\S]*vigil doctor[\s\S]*apply -f FILE/);
  });
});

describe.skipIf(reason !== null)(
  `the package under systemd${reason ? ` (${reason})` : ""}`,
  { timeout: 2 * PATIENCE_MS },
  () => {
    const host = booted as SystemdHost;
    let port: number;
    beforeAll(async () => {
      await install();
      port = await findPort({ host: "127.0.0.1", port: 0 });
      const { status, output } = host.run(
        `set -e
       mount -t tmpfs tmpfs /var/lib && mount -t tmpfs tmpfs /var/backups
       mkdir -p /opt/bin /opt/node_modules /opt/vigil && touch /opt/bin/node && mount --bind "$1" /opt/bin/node
       mount --bind "$3/node_modules" /opt/node_modules
       cp -a "$2" /opt/vigil/node_modules
       useradd --system --home-dir /var/lib/vigil --shell /usr/sbin/nologin vigil
       install -d -o vigil -g vigil -m 700 /var/backups/vigil
       printf 'PATH=/opt/bin:/usr/bin:/bin\nPORT=%s\n' "$4" >/etc/vigil.env
       install -m 644 /opt/vigil/node_modules/vigil/packaging/vigil.service /etc/systemd/system/
       systemctl daemon-reload && systemctl enable --now vigil`,
        ...[process.execPath, installed, PROJECT_ROOT, String(port)],
      );
      expect(status, output).toBe(0);
    }, PATIENCE_MS);
    afterAll(() => host.stop());
    const show = (property: string) => host.run("systemctl show vigil -p $1 --value", property).output.trim();
    const answers = async () => (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.status;
    const eventually = { timeout: PATIENCE_MS, interval: 300 };

    it("runs as a user without rights, in a folder that is its own, and keeps a backup", async () => {
      await expect.poll(answers, eventually).toBe(200);
      const { output } = host.run("cat /proc/$1/status; stat -c '%U %a' /var/lib/vigil", show("MainPID"));
      expect(output).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(output).toMatch(/^CapBnd:\s+0000000000000000$/m);
      expect(output).toContain("vigil 700");
      const backups = () => host.run("ls /var/backups/vigil").output.trim();
      await expect.poll(backups, eventually).toBe(`vigil-${DAY}.backup`);
    });

    /** To a package as npm would install it, which `change` makes of the one that runs. */
    function upgradeTo(change: string) {
      return host.run(
        `set -e
       rm -rf /opt/next && cp -a /opt/vigil/node_modules /opt/next && cd /opt/next/vigil && ${change}
       printf '#!/bin/sh\\nmkdir -p "$3" && cp -a /opt/next "$3/node_modules"\\n' >/opt/bin/npm && chmod 755 /opt/bin/npm
       PATH=/opt/bin:$PATH sh "$1/packaging/upgrade.sh" vigil-next.tgz`,
        PROJECT_ROOT,
      );
    }

    it("is upgraded", async () => {
      const { status, output } = upgradeTo("touch next");
      expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining("upgraded") });
      expect(host.run("ls /opt/vigil/node_modules/vigil/next").status).toBe(0);
      expect(await answers()).toBe(200);
    });

    it("goes back where the new release does not start", async () => {
      const { status, output } = upgradeTo("rm next && echo 'process.exit(1)' >scripts/local/vigil.js");
      expect({ status, output }).toMatchObject({
        status: 1,
        output: expect.stringContaining("release before runs again"),
      });
      expect(host.run("ls /opt/vigil/node_modules/vigil/next").status).toBe(0);
      expect(await answers()).toBe(200);
    });

    it("restarts after a kill and stops on request", async () => {
      host.run("systemctl kill --signal=KILL vigil");
      await expect.poll(() => show("NRestarts"), eventually).toBe("1");
      await expect.poll(answers, eventually).toBe(200);
      expect(host.run("systemctl stop vigil").status).toBe(0);
      expect([show("ActiveState"), show("Result")]).toEqual(["inactive", "success"]);
      expect(host.run("pgrep -u vigil").output).toBe("");
    });
  },
);
