import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENT_ENV, AGENT_FLAGS } from "../../src/agent/frugality.ts";
import { describeServer } from "../support/servers/run-server.ts";
import { PROJECT_ROOT, temporaryDir } from "./support.ts";

/** What the installation script gives to the service managers. */

const SCRIPT = join(PROJECT_ROOT, "src/agent/install.sh");

/** Without its last line, which runs the script, its functions can be called. */
function callFunction(name: string, { dir, node = process.execPath }: { dir: string; node?: string }): string {
  const library = readFileSync(SCRIPT, "utf8").replace(/\nmain "\$@"\n$/, "\n");
  const assignments = `URL=https://vigil.example NODE='${node}' DIR='${dir}'`;
  return execFileSync("sh", ["-s"], { input: `${library}\n${assignments}\n${name}\n`, encoding: "utf8" });
}

function settingsOf(unit: string): Map<string, string> {
  const lines = unit.split("\n").filter((line) => /^[A-Z]\w*=/.test(line));
  const settings = new Map<string, string>();
  for (const line of lines) {
    const [name, value] = [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)];
    // A list that is continued in a line of its own.
    settings.set(name, settings.has(name) ? `${settings.get(name)} ${value}` : value);
  }
  return settings;
}

/** What both units have: in the kernel's hands, so that a person's own services may have it, too. */
const SEALED = {
  UMask: "0077",
  NoNewPrivileges: "yes",
  LockPersonality: "yes",
  RestrictAddressFamilies: "AF_UNIX AF_INET AF_INET6 AF_NETLINK",
  RestrictNamespaces: "yes",
  RestrictRealtime: "yes",
  RestrictSUIDSGID: "yes",
  SystemCallArchitectures: "native",
  SystemCallFilter: "@system-service ~@chown @keyring @memlock @resources",
  SystemCallErrorNumber: "EPERM",
  MemoryMax: "512M",
  OOMPolicy: "continue",
  TasksMax: "2048",
};

describe("the systemd unit", () => {
  const unit = callFunction("system_unit", { dir: "/opt/vigil-agent", node: "/usr/bin/node" });

  it("runs the agent as its own user, with one capability and one directory that it may write", () => {
    const settings = settingsOf(unit);
    expect(Object.fromEntries(settings)).toMatchObject({
      User: "vigil-agent",
      Group: "vigil-agent",
      ExecStart: `"/usr/bin/node" ${AGENT_FLAGS.join(" ")} "/opt/vigil-agent/vigil-agent.mjs" run --dir "/opt/vigil-agent"`,
      Environment: Object.entries(AGENT_ENV)
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
      ...SEALED,
      ReadWritePaths: "/opt/vigil-agent",
      AmbientCapabilities: "CAP_NET_RAW",
      CapabilityBoundingSet: "CAP_NET_RAW",
      ProtectSystem: "strict",
      ProtectHome: "yes",
      ProtectProc: "invisible",
      Restart: "always",
    });
    for (const name of [
      ...["PrivateTmp", "PrivateDevices", "PrivateMounts", "ProtectClock", "ProtectControlGroups", "ProtectHostname"],
      ...["ProtectKernelLogs", "ProtectKernelModules", "ProtectKernelTunables", "RemoveIPC"],
    ]) {
      expect([name, settings.get(name)]).toEqual([name, "yes"]);
    }
  });

  it("hides home directories, unless the agent or its Node.js lies in one", () => {
    const hides = (dir: string, node: string) =>
      settingsOf(callFunction("system_unit", { dir, node })).get("ProtectHome");
    expect(hides("/opt/vigil-agent", "/usr/bin/node")).toBe("yes");
    expect(hides("/home/ada/agent", "/usr/bin/node")).toBe("no");
    expect(hides("/opt/vigil-agent", "/root/.nvm/node")).toBe("no");
  });

  it("exists without root, too, with what a person's own services may have", () => {
    const settings = settingsOf(callFunction("user_unit", { dir: "/home/ada/.vigil-agent" }));
    expect(Object.fromEntries(settings)).toMatchObject({ ...SEALED, Restart: "always" });
    expect(settings.has("User")).toBe(false);
  });
});

describeServer("systemd-analyze", "the systemd unit, to systemd itself,", () => {
  const dir = temporaryDir();
  const write = (name: string, of: string) => {
    writeFileSync(join(dir, name), callFunction(of, { dir: "/opt/vigil-agent" }));
    return join(dir, name);
  };
  const analyze = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
    return { status, said: `${stdout}${stderr}` };
  };

  it.each([
    ["vigil-agent.service", "system_unit"],
    ["vigil-agent-of-a-person.service", "user_unit"],
  ])("has no fault: %s", (name, of) => {
    expect(analyze("verify", "--man=no", "--recursive-errors=no", write(name, of))).toEqual({ status: 0, said: "" });
  });

  it("is exposed as little as a program that probes a network can be", () => {
    // In tenths: 0 is sealed off, 100 unprotected; systemd calls what is below 50 "OK".
    const verdict = analyze(
      "security",
      "--offline=true",
      "--no-pager",
      "--threshold=20",
      write("vigil-agent.service", "system_unit"),
    );
    expect(verdict).toMatchObject({ status: 0, said: expect.stringContaining("Overall exposure level") });
  });
});

describe("the OpenRC script", () => {
  const script = callFunction("openrc_script", { dir: "/opt/vigil-agent", node: "/usr/bin/node" });

  it("is a shell script that a shell can read", () => {
    const path = join(temporaryDir(), "vigil-agent");
    writeFileSync(path, script);
    expect(execFileSync("sh", ["-n", path], { encoding: "utf8" })).toBe("");
    expect(script.startsWith("#!/sbin/openrc-run\n")).toBe(true);
  });

  it("has the agent supervised, as its own user, with files that others cannot read", () => {
    const probe = `${script}\nfor name in supervisor command command_args command_user umask; do eval "echo \\$$name"; done`;
    expect(execFileSync("sh", ["-s"], { input: probe, encoding: "utf8" }).trim().split("\n")).toEqual([
      "supervise-daemon",
      "/usr/bin/node",
      `${AGENT_FLAGS.join(" ")} /opt/vigil-agent/vigil-agent.mjs run --dir /opt/vigil-agent`,
      "vigil-agent:vigil-agent",
      "0077",
    ]);
  });
});

it("the installation script is one that a POSIX shell can read", () => {
  execFileSync("sh", ["-n", SCRIPT]);
});
