import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { kafkaProbe } from "../../src/agent/probes/kafka.ts";
import { mqttProbe } from "../../src/agent/probes/mqtt.ts";
import { rabbitmqProbe } from "../../src/agent/probes/rabbitmq.ts";
import { describeProbe } from "../support/probe-contract.ts";
import { startKafka, startMosquitto, startRabbitmq } from "../support/servers/brokers.ts";
import { checkInNode } from "../support/servers/checks.ts";
import { type SaslBroker, startSaslBroker } from "../support/servers/kafka-sasl-stub.ts";
import { describeServer, type RunningServer } from "../support/servers/run-server.ts";

describeProbe({ probe: rabbitmqProbe, target: (port) => `http://guest:guest@127.0.0.1:${port}` });

describeServer("mosquitto", "an mqtt check against Mosquitto", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startMosquitto();
  }, 60_000);
  afterAll(() => server.stop());

  it("finds an open broker up, in clear and by TLS", async () => {
    const up = { outcome: "success", message: "the broker accepts the connection" };
    expect(await checkInNode(mqttProbe, `127.0.0.1:${server.ports.plain}`)).toMatchObject(up);
    expect(await checkInNode(mqttProbe, `mqtts://localhost:${server.ports.tls}`)).toMatchObject(up);
  });

  it("judges a login", async () => {
    const locked = (login: string) => checkInNode(mqttProbe, `mqtt://${login}127.0.0.1:${server.ports.locked}`);
    expect(await locked("vigil:secret@")).toMatchObject({ outcome: "success" });
    expect(await locked("vigil:wrong@")).toMatchObject({ outcome: "failure", message: "the credentials were refused" });
    expect(await locked("")).toMatchObject({ outcome: "failure", message: "the credentials were refused" });
  });

  it("waits for a message on the topic, and says when none came", async () => {
    const { default: mqtt } = await import("mqtt");
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.ports.plain}`);
    await client.publishAsync("lab/temperature", "21.5", { retain: true });
    await client.endAsync();
    const check = (mqtt_topic: string) => checkInNode(mqttProbe, `127.0.0.1:${server.ports.plain}`, { mqtt_topic }, 1);
    expect(await check("lab/#")).toMatchObject({
      outcome: "success",
      message: "message of 4 bytes on lab/temperature",
      details: { retained: true },
    });
    expect(await check("silence")).toMatchObject({
      outcome: "failure",
      message: "no message arrived on mqtt_topic within the time-out",
    });
  });

  it("calls a port where nothing listens, and one that speaks no MQTT, a failure", async () => {
    expect(await checkInNode(mqttProbe, "127.0.0.1:1")).toMatchObject({ outcome: "failure", cause: "connect" });
    const tls = await checkInNode(mqttProbe, `mqtt://127.0.0.1:${server.ports.tls}`, {}, 2);
    expect(tls).toMatchObject({ outcome: "failure" });
  });
});

describeServer("rabbitmq-server", "a rabbitmq check against RabbitMQ", () => {
  let server: RunningServer;
  let api: string;
  let amqp: string;
  const manage = (method: string, path: string, body: unknown) =>
    fetch(`http://127.0.0.1:${server.ports.management}/api${path}`, {
      method,
      headers: { authorization: `Basic ${btoa("guest:guest")}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  beforeAll(async () => {
    server = await startRabbitmq();
    api = `http://guest:guest@127.0.0.1:${server.ports.management}`;
    amqp = `amqp://guest:guest@127.0.0.1:${server.ports.amqp}`;
    await vi.waitFor(async () => expect((await checkInNode(rabbitmqProbe, amqp)).outcome).toBe("success"), {
      timeout: 60_000,
      interval: 200,
    });
    expect((await manage("PUT", "/queues/%2f/orders", {})).status).toBe(201);
    for (let n = 0; n < 3; n++) {
      const message = { properties: {}, routing_key: "orders", payload: "x", payload_encoding: "string" };
      expect((await manage("POST", "/exchanges/%2f/amq.default/publish", message)).status).toBe(200);
    }
  }, 120_000);
  afterAll(() => server.stop());

  it("counts the messages that wait, by either way", async () => {
    const byApi = async () => (await checkInNode(rabbitmqProbe, api)).message;
    await expect.poll(byApi, { timeout: 20_000 }).toBe("3 messages wait in 1 queues");
    expect(await checkInNode(rabbitmqProbe, amqp, { components: ["orders"] })).toMatchObject({
      outcome: "success",
      details: { deepest_queues: [{ name: "orders", messages: 3, consumers: 0 }] },
    });
  });

  it("fails when a queue is deeper than its limit, or does not exist", async () => {
    for (const target of [api, amqp]) {
      const deep = await checkInNode(rabbitmqProbe, target, { components: ["orders"], max_queue_depth: 2 });
      expect(deep).toMatchObject({ outcome: "failure", message: "3 messages wait in orders, limit 2" });
      const gone = await checkInNode(rabbitmqProbe, target, { components: ["refunds"] });
      expect(gone).toMatchObject({ outcome: "failure", message: "queue refunds does not exist" });
    }
  });

  it("says that a login was refused", async () => {
    for (const target of [api, amqp]) {
      const refused = await checkInNode(rabbitmqProbe, target.replace("guest:guest", "guest:wrong"));
      expect(refused).toMatchObject({ outcome: "failure", cause: "status" });
      expect(refused.message).toContain("the credentials were refused");
    }
  });

  it("names the virtual host as what may be wrong", async () => {
    expect((await checkInNode(rabbitmqProbe, `${amqp}/nowhere`)).message).toContain("virtual host");
  });
});

describeServer("kcat", "a kafka check against librdkafka's mock cluster", () => {
  let cluster: Awaited<ReturnType<typeof startKafka>>;
  beforeAll(async () => {
    cluster = await startKafka(3);
  }, 60_000);
  afterAll(() => cluster.stop());

  it("counts the brokers", async () => {
    expect(await checkInNode(kafkaProbe, cluster.address)).toMatchObject({
      outcome: "success",
      details: { brokers: 3 },
    });
  });

  it("fails for a topic that does not exist", async () => {
    expect(await checkInNode(kafkaProbe, cluster.address, { components: ["orders"] })).toMatchObject({
      outcome: "failure",
      message: "topic orders does not exist",
    });
  });

  it("counts what a group has yet to read, and fails above the limit", async () => {
    const client = (args: string[], input?: string) =>
      execFileSync("kcat", ["-b", cluster.address, ...args], {
        encoding: "utf8",
        input,
        timeout: 60_000,
        stdio: "pipe",
      });
    client(["-P", "-t", "jobs", "-p", "0"], "1\n2\n3\n4\n5\n");
    // Commits the offset of what it read when it leaves the group.
    const read = client(["-G", "workers", "-c", "2", "-X", "auto.offset.reset=earliest", "jobs"]);
    expect(read.trim().split("\n")).toEqual(["1", "2"]);
    const lag = (max_consumer_lag: number | null, consumer_group = "workers") =>
      checkInNode(kafkaProbe, cluster.address, { components: ["jobs"], consumer_group, max_consumer_lag });
    expect(await lag(3)).toMatchObject({
      outcome: "success",
      message: expect.stringContaining("workers is 3 messages behind"),
      details: { consumer_lag: 3 },
    });
    expect(await lag(2)).toMatchObject({ outcome: "failure", message: "workers is 3 messages behind, limit 2" });
    expect(await lag(null)).toMatchObject({ outcome: "success", details: { consumer_lag: 3 } });
    // A group that has read nothing yet is behind by nothing that it had committed to.
    expect(await lag(0, "idle")).toMatchObject({ outcome: "success", details: { consumer_lag: 0 } });
  });

  it("calls a port where nothing listens a failure to connect, and ends in time", async () => {
    expect(await checkInNode(kafkaProbe, "127.0.0.1:1")).toMatchObject({ outcome: "failure", cause: "connect" });
  });
});

describe.each([
  ["PLAIN", {}],
  ["SCRAM-SHA-256", { kafka_sasl_mechanism: "scram-sha-256" }],
  ["SCRAM-SHA-512", { kafka_sasl_mechanism: "scram-sha-512" }],
] as const)("a kafka check against a stub that demands %s", (mechanism, options) => {
  let broker: SaslBroker;
  beforeAll(async () => {
    broker = await startSaslBroker({ mechanism, username: "vigil", password: "it's secret" });
  });
  afterAll(() => broker.stop());
  const check = (login: string, fields: object = options) =>
    checkInNode(kafkaProbe, `kafka://${login}127.0.0.1:${broker.port}`, fields);
  const LOGIN = `vigil:${encodeURIComponent("it's secret")}@`;

  it("logs in with the credentials of the target", async () => {
    expect(await check(LOGIN)).toMatchObject({ outcome: "success", details: { brokers: 1 } });
    expect(broker.logins.some((token) => token.includes("vigil"))).toBe(true);
    const isPasswordSent = broker.logins.some((token) => token.includes("it's secret"));
    expect(isPasswordSent).toBe(mechanism === "PLAIN");
  });

  it("says that a login was refused, without the password", async () => {
    for (const login of ["vigil:wrong@", `other:${encodeURIComponent("it's secret")}@`]) {
      const refused = await check(login);
      expect(refused).toMatchObject({ outcome: "failure", cause: "status", message: "the credentials were refused" });
      expect(JSON.stringify(refused)).not.toMatch(/wrong|secret/);
    }
  });

  it("names the setting where the broker offers another mechanism", async () => {
    const other = { kafka_sasl_mechanism: mechanism === "SCRAM-SHA-512" ? "scram-sha-256" : "scram-sha-512" };
    const refused = await check(LOGIN, other);
    expect(refused).toMatchObject({ outcome: "failure", message: expect.stringContaining("kafka_sasl_mechanism") });
  });

  it("is a failure without credentials", async () => {
    expect(await check("")).toMatchObject({ outcome: "failure" });
  });
});
