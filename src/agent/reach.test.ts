import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentAssignment } from "../contract/agent.ts";
import { createNodeIo } from "./node-io.ts";
import { hostsOf, parseNetwork, Reach, UNRESTRICTED } from "./reach.ts";

const reachOf = (settings: Partial<ConstructorParameters<typeof Reach>[0]> = {}) =>
  new Reach({ ...UNRESTRICTED, ...settings });

const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "64:ff9b::a9fe:a9fe",
  "2002:a9fe:a9fe::1",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fe80::1",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
];

describe("an agent", () => {
  it.each(METADATA)("does not reach %s", (address) => {
    expect(reachOf().isAllowed(address)).toBe(false);
    expect(reachOf({ allow: ["0.0.0.0/0", "::/0"] }).isAllowed(address)).toBe(false);
  });

  it("reaches one of them where its host's file names a network within", () => {
    const reach = reachOf({ allow: ["169.254.169.254/32", "10.0.0.0/8"] });
    expect(
      ["169.254.169.254", "10.1.2.3", "169.254.170.2", "192.168.0.1"].map((each) => reach.isAllowed(each)),
    ).toEqual([true, true, false, false]);
  });

  it.each([
    "127.0.0.1",
    "10.0.0.5",
    "192.168.1.1",
    "203.0.113.5",
    "fd12::1",
    "2001:db8::1",
  ])("reaches %s", (address) => {
    expect(reachOf().isAllowed(address)).toBe(true);
  });

  it.each([
    ["http://169.254.169.254/latest/meta-data", "http"],
    ["http://user:password@169.254.169.254:80", "http"],
    ["http://[fd00:ec2::254]/", "http"],
    ["169.254.169.254:80", "tcp"],
    ["fe80::1", "ping"],
    ["10.0.0.5:9092,169.254.169.254:9092", "kafka"],
    ["mqtts://user:p@ss@169.254.1.1", "mqtt"],
    ["community@169.254.1.1", "snmp"],
  ])("does not check %s (%s)", async (target, type) => {
    const assignment = { type, target, options: {} } as Pick<AgentAssignment, "type" | "target" | "options">;
    expect(await reachOf().refusalOf(assignment)).toMatch("this agent's host does not allow");
  });

  it("asks no name server at such an address", async () => {
    const options = { dns_server: "169.254.169.254" };
    expect(await reachOf().refusalOf({ type: "dns", target: "a.example", options })).toMatch("does not allow");
    expect(await reachOf().refusalOf({ type: "dns", target: "169.254.169.254", options: {} })).toBeNull();
  });

  it("checks the types that its host lists", async () => {
    const reach = reachOf({ types: ["tcp"] });
    expect(await reach.refusalOf({ type: "http", target: "http://10.0.0.1/", options: {} })).toBe(
      "this agent's host allows no monitors of type http",
    );
    expect(await reach.refusalOf({ type: "tcp", target: "10.0.0.1:80", options: {} })).toBeNull();
  });
});

it.each([
  ["unix:///var/run/docker.sock", []],
  ["ceph://local", ["local"]],
  ["10.0.0.5", ["10.0.0.5"]],
  ["2001:db8::1", ["2001:db8::1"]],
  ["[2001:db8::1]:80", ["2001:db8::1"]],
  ["https://u:p@db.lan:8443/x?y=@z#a", ["db.lan"]],
  ["a.lan:1, b.lan:2", ["a.lan", "b.lan"]],
])("the hosts of %s are %j", (target, hosts) => {
  expect(hostsOf(target)).toEqual(hosts);
});

it.each(["", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/-1", "fd00::/129", "host/8"])("%j is no network", (text) => {
  expect(() => parseNetwork(text)).toThrow("is not a network");
});

describe("the network of a check", () => {
  let server: Server;
  let port = 0;
  const methods: (string | undefined)[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      methods.push(request.method);
      response.end("inside");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  const request = (url: string, method = "GET") => ({
    url: new URL(url),
    method,
    headers: {},
    body: null,
    verify_tls: true,
    signal: new AbortController().signal,
  });

  it("is judged at each connection: a redirect or a name leads nowhere else", async () => {
    const io = createNodeIo({}, reachOf({ allow: ["10.0.0.0/8"] }));
    await expect(io.fetch(request(`http://127.0.0.1:${port}/`))).rejects.toThrow("does not allow 127.0.0.1");
    await expect(io.fetch(request(`http://localhost:${port}/`))).rejects.toThrow("does not allow localhost");
    const place = { port, tls: "off" as const, signal: new AbortController().signal };
    await expect(io.connect({ host: "localhost", ...place })).rejects.toThrow("does not allow localhost");
    await expect(io.connect({ host: "127.0.0.1", ...place })).rejects.toThrow("does not allow 127.0.0.1");
    expect(methods).toEqual([]);
  });

  it("reaches what is allowed, by address and by name", async () => {
    const io = createNodeIo({}, reachOf({ allow: ["127.0.0.0/8", "::1/128"] }));
    for (const host of ["127.0.0.1", "localhost"]) {
      expect((await io.fetch(request(`http://${host}:${port}/`))).status).toBe(200);
    }
  });

  it("only reads where its host says so", async () => {
    const io = createNodeIo({}, reachOf({ read_only: true }));
    for (const method of ["GET", "HEAD"]) {
      expect((await io.fetch(request(`http://127.0.0.1:${port}/`, method))).status).toBe(200);
    }
    methods.length = 0;
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      await expect(io.fetch(request(`http://127.0.0.1:${port}/`, method))).rejects.toThrow(`allows no ${method}`);
    }
    expect(methods).toEqual([]);
  });
});
