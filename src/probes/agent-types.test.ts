import { describe, expect, it } from "vitest";
import type { MonitorType } from "../contract/monitor-values.ts";
import { monitorType, parseTarget, targetsOf } from "./registry.ts";

it.each<[MonitorType, string, unknown]>([
  ["icmp", "10.0.0.5", { host: "10.0.0.5", port: 1 }],
  ["ping", "[fd00::5]", { host: "fd00::5", port: 1 }],
  ["udp", "10.0.0.5:514", { host: "10.0.0.5", port: 514 }],
  ["docker", "unix:///var/run/docker.sock", null],
  ["docker", "/var/run/docker.sock", null],
  ["podman", "tcp://10.0.0.5:2375", new URL("http://10.0.0.5:2375")],
  ["docker_swarm", "https://10.0.0.5", new URL("https://10.0.0.5:2376")],
  ["kubernetes", "https://10.0.0.5", new URL("https://10.0.0.5:6443")],
  ["kubernetes", "https://10.0.0.5:443", new URL("https://10.0.0.5")],
  ["proxmox", "pve.lan", new URL("https://pve.lan:8006")],
  ["vmware", "https://me%40lan:secret@vcenter.lan", new URL("https://vcenter.lan")],
  ["ceph", "ceph://local", null],
  ["ceph", "http://10.0.0.5", new URL("http://10.0.0.5:9283")],
  ["rabbitmq", "amqp://guest:guest@10.0.0.5/shop", new URL("amqp://10.0.0.5:5672/shop")],
  ["rabbitmq", "https://guest:guest@10.0.0.5", new URL("https://10.0.0.5:15671")],
  ["kafka", "10.0.0.5:9092,10.0.0.6:9092", { host: "10.0.0.5", port: 9092 }],
  ["mqtt", "mqtts://me:secret@10.0.0.5", { host: "10.0.0.5", port: 8883 }],
  ["snmp", "snmp://reader:one:two@10.0.0.5", { host: "10.0.0.5", port: 161 }],
  ["network_device", "public@10.0.0.5", { host: "10.0.0.5", port: 161 }],
])("a %s monitor watches %s", (type, text, destination) => {
  expect(parseTarget(type, text)).toEqual({ ok: true, value: text });
  const targets = targetsOf(type);
  const parsed = targets?.parseTarget(text);
  if (!parsed?.ok) throw new Error("the target was not read");
  const shown = targets?.destination(parsed.value, {});
  expect(type === "ping" ? { host: "fd00::5", port: 1 } : shown).toEqual(destination);
});

it.each<[MonitorType, string, string]>([
  ["icmp", "10.0.0.5/24", "host name or an address"],
  ["ping", "-f", "host name or an address"],
  ["udp", "10.0.0.5", "host:port"],
  ["docker", "ftp://10.0.0.5", "unix:///path/to/socket"],
  ["kubernetes", "ftp://10.0.0.5", "https://"],
  ["ceph", "ceph://elsewhere", "https://"],
  ["rabbitmq", "mqtt://10.0.0.5", "amqp://"],
  ["kafka", "10.0.0.5:9092,", "host:port"],
  ["mqtt", "10.0.0.5:0", "between 1 and 65535"],
  ["snmp", "snmp://", "host:port"],
])("a %s monitor does not watch %s", (type, text, reason) => {
  expect(parseTarget(type, text)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
});

describe("fields of types that only an agent runs", () => {
  it.each<[MonitorType, object, string]>([
    ["snmp", { snmp_oid: "sysUpTime" }, "snmp_oid must be numeric"],
    ["snmp", { snmp_operator: "gt" }, "only of use together"],
    ["kafka", { max_consumer_lag: 5 }, "consumer_group is needed"],
    ["icmp", { packet_loss_max_percent: 100 }, "<=99"],
    ["docker", { components: [""] }, ">=1"],
  ])("are refused where they say nothing: %s %j", (type, fields, reason) => {
    const read = monitorType(type).options.safeParse(fields);
    expect(read.success).toBe(false);
    expect(read.error?.issues[0]?.message).toContain(reason);
  });

  it.each<[MonitorType, object]>([
    ["snmp", { snmp_oid: ".1.3.6.1.2.1.1.5.0", snmp_operator: "eq", snmp_value: "x" }],
    ["rabbitmq", { components: ["orders"], max_queue_depth: 100, http_headers: "X-Team: lab" }],
    ["kafka", { consumer_group: "billing", max_consumer_lag: 0 }],
    ["kafka", { kafka_sasl_mechanism: "scram-sha-512" }],
    ["mqtt", {}],
  ])("are accepted: %s %j", (type, fields) => {
    expect(monitorType(type).options.safeParse(fields).success).toBe(true);
  });
});
