import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bootSystemdHostOrReason, type SystemdHost } from "../support/systemd/run-systemd.ts";
import { type Service, START_TIMEOUT_MS, startService } from "./support.ts";

/** The agent under a systemd that really runs: installed as on a Debian host, restarted, hardened, removed. */

const V1 = "/api/uptime/v1";
const EVENTUALLY = { timeout: 30_000, interval: 200 };
const booted = await bootSystemdHostOrReason();
const reason = typeof booted === "string" ? booted : null;

describe.skipIf(reason !== null)(`the agent as a service of systemd${reason ? ` (${reason})` : ""}`, () => {
  const host = booted as SystemdHost;
  let service: Service;
  let agentId: string;
  beforeAll(async () => {
    service = await startService();
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await host.stop();
    await service?.stop();
  });

  async function api(method: string, path: string, body?: unknown) {
    const response = await fetch(`${service.url}${V1}${path}`, {
      method,
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: an absent member is undefined and fails the assertion.
    return (await response.json()) as any;
  }
  const show = (property: string) => host.run("systemctl show vigil-agent -p $1 --value", property).output.trim();
  const isConnected = async () => (await api("GET", `/agents/${agentId}`)).status === "online";

  it("is installed by the script and runs unprivileged", { timeout: 60_000 }, async () => {
    const { install_token } = await api("GET", "/agents/token");
    // Where this machine keeps Node.js is nothing that the unit may depend on.
    const { status, output } = host.run(
      `touch /opt/node && mount --bind "$1" /opt/node
       curl -fsS "$2/agents/install" | sh -s -- --token "$3" --name lab --node /opt/node`,
      ...[process.execPath, `${service.url}${V1}`, install_token],
    );
    expect({ status, output }).toMatchObject({
      status: 0,
      output: expect.stringContaining("the agent runs as the service vigil-agent"),
    });
    const list = async () =>
      (await api("GET", "/agents")).map(({ name, status }: Record<string, string>) => [name, status]);
    await expect.poll(list, EVENTUALLY).toEqual([["lab", "online"]]);
    agentId = (await api("GET", "/agents"))[0].id;
    expect([show("ActiveState"), show("UnitFileState")]).toEqual(["active", "enabled"]);

    const main = host.run(
      'cat /proc/$1/status; stat -c "%U %a" /opt/vigil-agent /opt/vigil-agent/config.json',
      show("MainPID"),
    );
    const user = host.run("id -u vigil-agent").output.trim();
    expect(main.output).toMatch(new RegExp(`^Uid:\\s+${user}\\s+${user}\\s+${user}\\s+${user}$`, "m"));
    expect(main.output).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(main.output).toMatch(/^Seccomp:\s+2$/m);
    // CAP_NET_RAW alone.
    expect(main.output).toMatch(/^CapBnd:\s+0000000000002000$/m);
    expect(main.output).toContain("vigil-agent 700\nvigil-agent 600");
    expect(show("MemoryMax")).toBe(`${512 * 1024 * 1024}`);
    // What it may write lies in one directory, with the program, which it replaces by an update.
    const written = host.run(
      'for dir in /opt/vigil-agent /opt /etc /usr/bin /var/lib; do nsenter --mount --target "$1" touch $dir/probe 2>/dev/null && rm $dir/probe && echo $dir; done; true',
      show("MainPID"),
    );
    expect(written.output.trim()).toBe("/opt/vigil-agent");
  });

  it("checks what its hardening has to leave possible: ports, names and pings", { timeout: 60_000 }, async () => {
    const { port } = new URL(service.url);
    for (const [type, target] of [
      ["tcp", `127.0.0.1:${port}`],
      ["http", `${service.url}/health`],
      ["ping", "127.0.0.1"],
    ]) {
      const { id } = await api("POST", "/monitors", { name: type, type, target, agent_id: agentId, interval: 60 });
      const checked = await api("POST", `/monitors/${id}/check`);
      expect([type, checked.status, checked.message]).toEqual([type, "up", expect.any(String)]);
    }
  });

  it("is started again after it was killed, and ends when systemd stops it", { timeout: 90_000 }, async () => {
    const killed = show("MainPID");
    host.run("systemctl kill --signal=KILL vigil-agent");
    await expect.poll(() => [show("ActiveState"), show("NRestarts")], EVENTUALLY).toEqual(["active", "1"]);
    expect(show("MainPID")).not.toBe(killed);
    await expect.poll(isConnected, EVENTUALLY).toBe(true);
    expect(host.run("systemctl stop vigil-agent").status).toBe(0);
    expect([show("ActiveState"), show("Result")]).toEqual(["inactive", "success"]);
  });

  it("is removed without a trace", () => {
    const { status, output } = host.run(`curl -fsS "$1/agents/install" | sh -s -- --uninstall`, `${service.url}${V1}`);
    expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining("the agent is removed") });
    const left = host.run("ls -d /opt/vigil-agent /etc/systemd/system/vigil-agent.service; id vigil-agent");
    expect(left.output).toMatch(/^ls: .*\nls: .*\nid: .*no such user/);
  });
});
