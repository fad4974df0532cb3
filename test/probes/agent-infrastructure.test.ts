import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { cephProbe, evaluateHealth, healthOfStatus } from "../../src/agent/probes/ceph.ts";
import { dockerSwarmProbe } from "../../src/agent/probes/docker-swarm.ts";
import { dockerProbe, podmanProbe } from "../../src/agent/probes/engine.ts";
import { kubernetesProbe } from "../../src/agent/probes/kubernetes.ts";
import { proxmoxProbe } from "../../src/agent/probes/proxmox.ts";
import { vmwareProbe } from "../../src/agent/probes/vmware.ts";
import { type ApiStub, startApiStub } from "../support/api-stub.ts";
import { describeProbe } from "../support/probe-contract.ts";
import { checkInNode } from "../support/servers/checks.ts";
import { describeServer, type RunningServer, startServer } from "../support/servers/run-server.ts";

for (const probe of [dockerProbe, kubernetesProbe, proxmoxProbe]) {
  describeProbe({ probe, target: (port) => `http://127.0.0.1:${port}` });
}
describeProbe({ probe: vmwareProbe, target: (port) => `http://user:word@127.0.0.1:${port}` });
describeProbe({ probe: cephProbe, target: (port) => `http://127.0.0.1:${port}` });

let dir: string;
let stub: ApiStub | undefined;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "vigil-stub-"));
});
afterAll(() => rmSync(dir, { recursive: true }));
afterEach(async () => {
  await stub?.stop();
  stub = undefined;
});

describeServer("podman", "a podman check against Podman", () => {
  let server: RunningServer;
  let socket: string;
  const flags = ["--storage-driver", "vfs", "--cgroup-manager", "cgroupfs", "--events-backend", "file"];
  beforeAll(async () => {
    server = await startServer({
      ports: [],
      prepare: ({ dir: own, run, write }) => {
        const at = ["--root", `${own}/root`, "--runroot", `${own}/run`, ...flags];
        run("tar", ["-cf", "image.tar", write("hello", "an image has to hold something").slice(own.length + 1)]);
        run("podman", [...at, "import", "image.tar", "local/empty"]);
        run("podman", [...at, "create", "--name", "web", "--network", "none", "local/empty", "/hello"]);
        socket = `${own}/podman.sock`;
        return { command: "podman", args: [...at, "system", "service", "--time=0", `unix://${socket}`] };
      },
    });
    await vi.waitFor(() => expect(existsSync(socket)).toBe(true), { timeout: 20_000 });
  }, 60_000);
  afterAll(() => server.stop());

  it("counts the containers of the engine", async () => {
    expect(await checkInNode(podmanProbe, `unix://${socket}`)).toMatchObject({
      outcome: "success",
      message: "0 of 1 containers running",
    });
  });

  it("fails for a container that does not run, and for one that does not exist", async () => {
    expect(await checkInNode(podmanProbe, `unix://${socket}`, { components: ["web", "db"] })).toMatchObject({
      outcome: "failure",
      message: "db does not exist, web is created",
    });
  });
});

const LIST = "/containers/json";
/** Stub after https://docs.docker.com/reference/api/engine/version/v1.43/: states that need a kernel to reach. */
const ENGINE = {
  [LIST]: (request: { url?: string | undefined }) => ({
    body: request.url?.includes("filters")
      ? [{ Id: "2" }]
      : [
          { Id: "1", Names: ["/web"], State: "running", Status: "Up 3 days" },
          { Id: "2", Names: ["/db"], State: "running", Status: "Up 3 days (unhealthy)" },
          { Id: "3", Names: ["/worker"], State: "exited", Status: "Exited (137) 2 hours ago" },
          { Id: "4", Names: ["/migration"], State: "exited", Status: "Exited (0) 2 hours ago" },
          { Id: "5", Names: ["/mail"], State: "restarting", Status: "Restarting (1) 4 seconds ago" },
        ],
  }),
  "/containers/3/json": { body: { State: { ExitCode: 137 }, HostConfig: { RestartPolicy: { Name: "always" } } } },
  "/containers/4/json": { body: { State: { ExitCode: 0 }, HostConfig: { RestartPolicy: { Name: "no" } } } },
};

describe("a docker check against a stub of its API", () => {
  it("names the containers that are not well, and reads only", async () => {
    stub = await startApiStub(ENGINE, join(dir, "docker.sock"));
    expect(await checkInNode(dockerProbe, stub.url)).toMatchObject({
      outcome: "failure",
      message: "db is unhealthy, worker exited with code 137, mail is restarting",
      details: { containers: 5, running: 2 },
    });
    expect(stub.requests.every((request) => request.startsWith("GET "))).toBe(true);
  });

  it("looks only at the containers that are named", async () => {
    stub = await startApiStub(ENGINE, join(dir, "docker.sock"));
    expect(await checkInNode(dockerProbe, stub.url, { components: ["web"] })).toMatchObject({
      outcome: "success",
      message: "web running",
    });
  });

  it("says what to do where there is no engine", async () => {
    expect(await checkInNode(dockerProbe, "unix:///no/such.sock")).toMatchObject({
      outcome: "failure",
      cause: "connect",
      message: "no container engine listens at /no/such.sock",
    });
  });
});

describe("a docker_swarm check against a stub of its API", () => {
  const swarm = (changes: object = {}) => ({
    "/info": { body: { Swarm: { LocalNodeState: "active", ControlAvailable: true, ...changes } } },
    "/nodes": {
      body: [
        { ID: "a", Description: { Hostname: "one" }, Status: { State: "ready" } },
        { ID: "b", Description: { Hostname: "two" }, Status: { State: "down" } },
      ],
    },
    "/services": {
      body: [
        { Spec: { Name: "shop" }, ServiceStatus: { RunningTasks: 1, DesiredTasks: 3 } },
        { Spec: { Name: "mail" }, ServiceStatus: { RunningTasks: 2, DesiredTasks: 2 } },
      ],
    },
  });

  it("names services that are short of tasks and nodes that are not ready", async () => {
    stub = await startApiStub(swarm());
    expect(await checkInNode(dockerSwarmProbe, stub.url)).toMatchObject({
      outcome: "failure",
      message: "service shop runs 1 of 3 tasks, node two is not ready",
      details: { nodes_not_ready: ["two"] },
    });
  });

  it("says that only a manager knows", async () => {
    stub = await startApiStub(swarm({ ControlAvailable: false }));
    expect((await checkInNode(dockerSwarmProbe, stub.url)).message).toContain("not a manager");
  });
});

/** Stub after https://kubernetes.io/docs/reference/kubernetes-api/. */
describe("a kubernetes check against a stub of its API", () => {
  const node = (name: string, ready: string) => ({
    metadata: { name },
    status: {
      conditions: [
        { type: "MemoryPressure", status: "False" },
        { type: "Ready", status: ready },
      ],
    },
  });
  const deployment = (name: string, replicas: number, availableReplicas?: number) => ({
    metadata: { name, namespace: "shop" },
    spec: { replicas },
    status: { availableReplicas },
  });
  const cluster = (ready: string) => ({
    "/readyz": { body: "ok" },
    "/version": { body: { gitVersion: "v1.31.2" } },
    "/api/v1/nodes": { body: { items: [node("one", "True"), node("two", ready)] } },
    "/apis/apps/v1/deployments": { body: { items: [deployment("web", 2, 2), deployment("idle", 0)] } },
    "/apis/apps/v1/namespaces/shop/deployments/api": { body: deployment("api", 3, 1) },
  });
  const fields = { http_headers: "Authorization: Bearer secret" };

  it("is a success when all nodes are ready and all deployments available", async () => {
    stub = await startApiStub(cluster("True"));
    expect(await checkInNode(kubernetesProbe, stub.url, fields)).toMatchObject({
      outcome: "success",
      message: "2 nodes ready, 2 deployments available",
      details: { version: "v1.31.2" },
    });
  });

  it("names what is not", async () => {
    stub = await startApiStub(cluster("Unknown"));
    const components = ["shop/api", "shop/gone"];
    expect(await checkInNode(kubernetesProbe, stub.url, { ...fields, components })).toMatchObject({
      outcome: "failure",
      message: "shop/api has 1 of 3 replicas, shop/gone does not exist, node two is not ready",
    });
  });

  it("sends the token, and says when it is refused", async () => {
    const sent: (string | undefined)[] = [];
    stub = await startApiStub({
      "/readyz": ({ headers }) => {
        sent.push(headers.authorization);
        return { status: 401 };
      },
    });
    const result = await checkInNode(kubernetesProbe, stub.url, fields);
    expect(sent).toEqual(["Bearer secret"]);
    expect(result).toMatchObject({ outcome: "failure", message: "the credentials were refused (HTTP 401)" });
  });
});

/** Stub after https://pve.proxmox.com/pve-docs/api-viewer/. */
describe("a proxmox check against a stub of its API", () => {
  it("names nodes, guests and disks that are not well", async () => {
    stub = await startApiStub({
      "/api2/json/cluster/status": {
        body: {
          data: [
            { type: "cluster", quorate: 0 },
            { type: "node", name: "pve1" },
          ],
        },
      },
      "/api2/json/cluster/resources": {
        body: {
          data: [
            { type: "node", node: "pve1", status: "online" },
            { type: "node", node: "pve2", status: "offline" },
            { type: "qemu", name: "web", vmid: 100, status: "running" },
            { type: "lxc", name: "db", vmid: 101, status: "stopped" },
          ],
        },
      },
      "/api2/json/nodes/pve1/disks/list": { body: { data: [{ devpath: "/dev/sda", health: "FAILED" }] } },
    });
    expect(await checkInNode(proxmoxProbe, stub.url, { components: ["web", "101"] })).toMatchObject({
      outcome: "failure",
      message: "the cluster has no quorum, node pve2 is offline, db is stopped, disk /dev/sda of pve1 reports FAILED",
      details: { guests: 2, running: 1 },
    });
  });
});

/** Stub after https://developer.broadcom.com/xapis/vsphere-automation-api/latest/. */
describe("a vmware check against a stub of its API", () => {
  it("names hosts and machines that are not well, and leaves no session behind", async () => {
    const host = (name: string, connection_state: string) => ({ name, connection_state, power_state: "POWERED_ON" });
    const sessions: unknown[] = [];
    stub = await startApiStub({
      "POST /api/session": ({ headers }) => {
        sessions.push(headers.authorization);
        return { status: 201, body: '"session-1"' };
      },
      "DELETE /api/session": { status: 204 },
      "/api/vcenter/host": ({ headers }) => {
        sessions.push(headers["vmware-api-session-id"]);
        return { body: [host("esx1", "CONNECTED"), host("esx2", "NOT_RESPONDING")] };
      },
      "/api/vcenter/vm": { body: [{ name: "web", power_state: "POWERED_OFF" }] },
    });
    const target = stub.url.replace("http://", "http://monitor%40vsphere.local:secret@");
    expect(await checkInNode(vmwareProbe, target, { components: ["web"] })).toMatchObject({
      outcome: "failure",
      message: "host esx2 is not responding, web is powered off",
    });
    expect(sessions).toEqual([`Basic ${btoa("monitor@vsphere.local:secret")}`, "session-1"]);
    expect(stub.requests.at(-1)).toBe("DELETE /api/session");
  });

  it("says that it needs a user", async () => {
    const result = await checkInNode(vmwareProbe, "https://vcenter.lan");
    expect(result).toMatchObject({ outcome: "error", message: expect.stringContaining("a user and a password") });
  });
});

describe("a ceph check against stubs", () => {
  /** After https://docs.ceph.com/en/latest/mgr/ceph_api/. */
  it("reads the dashboard's API: a warning makes it degraded", async () => {
    stub = await startApiStub({
      "POST /api/auth": { status: 201, body: { token: "t" } },
      "/api/health/minimal": {
        body: {
          health: { status: "HEALTH_WARN", checks: [{ type: "OSD_DOWN", summary: { message: "1 osds down" } }] },
          osd_map: { osds: [{ up: 1 }, { up: 0 }] },
        },
      },
    });
    const target = stub.url.replace("http://", "http://monitor:secret@");
    expect(await checkInNode(cephProbe, target)).toMatchObject({
      outcome: "slow",
      message: "HEALTH_WARN: 1 osds down",
      details: { osds: 2, osds_up: 1 },
    });
  });

  /** After https://docs.ceph.com/en/latest/mgr/prometheus/. */
  it("reads the Prometheus module", async () => {
    stub = await startApiStub({
      "/metrics": {
        body: 'ceph_health_status 2.0\nceph_health_detail{name="PG_DAMAGED",severity="HEALTH_ERR"} 1.0\nceph_osd_up{ceph_daemon="osd.0"} 1.0\n',
      },
    });
    expect(await checkInNode(cephProbe, stub.url)).toMatchObject({
      outcome: "failure",
      message: "HEALTH_ERR: PG_DAMAGED",
      details: { osds: 1, osds_up: 1 },
    });
  });

  /** After what `ceph status --format json` prints. */
  it("reads the command line", () => {
    const status = { health: { status: "HEALTH_OK", checks: {} }, osdmap: { num_osds: 3, num_up_osds: 3 } };
    expect(evaluateHealth(healthOfStatus(status))).toMatchObject({ message: "HEALTH_OK, 3 of 3 OSDs up" });
  });
});
