import type { Admin, SASLOptions } from "kafkajs";
import type { KafkaCheck } from "../../contract/infrastructure-check.ts";
import { assertNever } from "../../lib/assert-never.ts";
import { IoFault } from "../../lib/io-fault.ts";
import { type KafkaTarget, kafkaType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import type { Credentials } from "../../probes/server-target.ts";
import { checkWith, failureOf, untilAborted, type Verdict } from "./verdict.ts";

const REQUEST_MS = 30_000;

export const kafkaProbe: Probe<KafkaTarget, KafkaCheck> = {
  ...kafkaType,
  check: (target, options, io, signal) =>
    checkWith(io, signal, async () => {
      const admin = await adminOf(target, options);
      const close = () => void admin.disconnect().catch(() => {});
      try {
        return await untilAborted(checkCluster(admin, options), signal, close);
      } catch (error) {
        throw refusalOf(error);
      } finally {
        close();
      }
    }),
};

async function adminOf({ brokers }: KafkaTarget, { verify_ssl, kafka_sasl_mechanism }: KafkaCheck): Promise<Admin> {
  const { default: kafkajs } = await import("kafkajs");
  const [first] = brokers;
  const credentials = first?.credentials;
  const client = new kafkajs.Kafka({
    clientId: "vigil-agent",
    brokers: brokers.map(({ host, port }) => `${host}:${port}`),
    ssl: first?.tls === "on" ? { rejectUnauthorized: verify_ssl } : false,
    ...(credentials ? { sasl: saslOf(kafka_sasl_mechanism, credentials) } : {}),
    connectionTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.NOTHING,
  });
  return client.admin({ retry: { retries: 0 } });
}

/** The client knows each mechanism as a form of its own. */
function saslOf(mechanism: KafkaCheck["kafka_sasl_mechanism"], credentials: Credentials): SASLOptions {
  switch (mechanism) {
    case "plain":
      return { mechanism, ...credentials };
    case "scram-sha-256":
      return { mechanism, ...credentials };
    case "scram-sha-512":
      return { mechanism, ...credentials };
    default:
      return assertNever(mechanism);
  }
}

async function checkCluster(admin: Admin, options: KafkaCheck): Promise<Verdict> {
  await admin.connect();
  const { brokers } = await admin.describeCluster();
  const names = options.components.length > 0 ? options.components : await admin.listTopics();
  const existing = options.components.length > 0 ? new Set(await admin.listTopics()) : new Set(names);
  const topics = names.filter((name) => existing.has(name));
  const metadata = topics.length > 0 ? (await admin.fetchTopicMetadata({ topics })).topics : [];
  const partitions = metadata.flatMap((topic) =>
    topic.partitions.map((partition) => ({ ...partition, topic: topic.name })),
  );
  const leaderless = partitions.filter(({ leader }) => leader < 0);
  const behind = partitions.filter(({ isr, replicas }) => isr.length < replicas.length);
  const lag = options.consumer_group === null ? null : await lagOf(admin, options.consumer_group, topics);
  const problems = [
    ...names.filter((name) => !existing.has(name)).map((name) => `topic ${name} does not exist`),
    ...leaderless.map(({ topic, partitionId }) => `partition ${partitionId} of ${topic} has no leader`),
    ...lagProblem(lag, options),
  ];
  const details = {
    brokers: brokers.length,
    topics: names.length,
    partitions: partitions.length,
    under_replicated: behind.length,
    ...(lag === null ? {} : { consumer_lag: lag }),
  };
  if (problems.length > 0) return { ...failureOf(problems), details };
  const lagText = lag === null ? "" : `, ${options.consumer_group} is ${lag} messages behind`;
  if (behind.length > 0)
    return { outcome: "slow", message: `${behind.length} partitions are under-replicated${lagText}`, details };
  return { message: `${brokers.length} brokers, ${partitions.length} partitions${lagText}`, details };
}

function lagProblem(lag: number | null, { consumer_group, max_consumer_lag }: KafkaCheck): string[] {
  if (lag === null || max_consumer_lag === null || lag <= max_consumer_lag) return [];
  return [`${consumer_group} is ${lag} messages behind, limit ${max_consumer_lag}`];
}

/** How many messages the group has yet to read, over all partitions for which it committed an offset. */
async function lagOf(admin: Admin, groupId: string, topics: string[]): Promise<number> {
  const committed = await admin.fetchOffsets({ groupId, topics });
  let lag = 0;
  for (const { topic, partitions } of committed) {
    const own = partitions.filter(({ offset }) => Number(offset) >= 0);
    if (own.length === 0) continue;
    const ends = new Map(
      (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]),
    );
    for (const { partition, offset } of own) lag += Math.max(0, (ends.get(partition) ?? 0) - Number(offset));
  }
  return lag;
}

/** The client wraps what happened to the connection into errors of its own. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const words = `${error.name} ${error.message}`;
  if (/mechanism is not supported|not support the requested SASL/i.test(words)) {
    return new IoFault("status", "the broker offers another kind of login: kafka_sasl_mechanism chooses it");
  }
  if (/SASL|Authentication/i.test(words)) return new IoFault("status", "the credentials were refused");
  if (/ENOTFOUND|EAI_AGAIN/.test(words)) return new IoFault("dns", "the name does not resolve");
  if (/ECONNREFUSED/.test(words)) return new IoFault("connect", "connection refused");
  if (/certificate|SSL|TLS/i.test(words)) return new IoFault("tls", "TLS handshake failed or certificate not valid");
  if (/Closed connection|ECONNRESET|Connection error/i.test(words)) return new IoFault("connect", "connection lost");
  if (/Protocol|Invalid|decode|out of range|NonRetriable/i.test(words)) {
    return new IoFault("protocol", "the answer is not that of a Kafka broker");
  }
  return error;
}
