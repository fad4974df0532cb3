import type { ChannelModel } from "amqplib";
import type { RabbitmqCheck } from "../../contract/infrastructure-check.ts";
import { IoFault } from "../../lib/io-fault.ts";
import { type ApiTarget, rabbitmqType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import { codeOf } from "../files.ts";
import { JsonApi, listOf, missingOf, numberOf, objectOf, parseJson, requireOk, textOf } from "./json-api.ts";
import { checkWith, failureOf, untilAborted, type Verdict } from "./verdict.ts";

type UrlTarget = Extract<ApiTarget, { kind: "url" }>;

/** By the management API (http, https), or as a client of the broker (amqp, amqps). */
export const rabbitmqProbe: Probe<ApiTarget, RabbitmqCheck> = {
  ...rabbitmqType,
  check: (target, options, io, signal) =>
    checkWith(io, signal, () => {
      if (target.kind !== "url") throw new Error("the target of a broker is an address");
      const isAmqp = target.url.protocol.startsWith("amqp");
      return isAmqp
        ? checkBroker(target, options, signal)
        : evaluateBroker(new JsonApi(target, options, { io, signal }), options);
    }),
};

interface Queue {
  name: string;
  messages: number;
  consumers: number;
  state: string;
}

/** https://www.rabbitmq.com/docs/http-api-reference */
async function evaluateBroker(api: JsonApi, options: RabbitmqCheck): Promise<Verdict> {
  const overview = objectOf(await api.json("/api/overview"));
  const alarms = await alarmsOf(api);
  const columns = "name,vhost,messages_ready,consumers,state";
  const queues = listOf(await api.json(`/api/queues?columns=${columns}`)).map(
    (queue): Queue => ({
      name: textOf(queue.name),
      messages: numberOf(queue.messages_ready),
      consumers: numberOf(queue.consumers),
      state: textOf(queue.state),
    }),
  );
  return evaluateQueues(queues, options, {
    version: textOf(overview.rabbitmq_version),
    alarms,
    connections: numberOf(objectOf(overview.object_totals).connections),
  });
}

/** Alarms block publishers. The check answers 503 while there are some; users without the tag `monitoring` may not ask. */
async function alarmsOf(api: JsonApi): Promise<string[]> {
  const path = "/api/health/checks/alarms";
  const { status, text } = await api.send(path);
  if (status === 401 || status === 403 || status === 404) return [];
  if (status === 503) {
    const alarms = listOf(objectOf(parseJson(text)).alarms);
    return alarms.length > 0 ? alarms.map(({ resource }) => `${textOf(resource)} alarm`) : ["a resource alarm"];
  }
  requireOk(status, path);
  return [];
}

export function evaluateQueues(
  queues: readonly Queue[],
  { components, max_queue_depth }: Pick<RabbitmqCheck, "components" | "max_queue_depth">,
  about: { alarms: readonly string[] } & Record<string, unknown>,
): Verdict {
  const watched = components.length > 0 ? queues.filter(({ name }) => components.includes(name)) : queues;
  const deep = watched.filter(({ messages }) => max_queue_depth !== null && messages > max_queue_depth);
  const waiting = watched.reduce((sum, { messages }) => sum + messages, 0);
  const problems = [
    ...about.alarms.map((alarm) => `${alarm} is raised, publishers are blocked`),
    ...missingOf(
      components,
      queues.map(({ name }) => name),
    ).map((missing) => `queue ${missing}`),
    ...watched
      .filter(({ state }) => state === "down" || state === "crashed")
      .map(({ name, state }) => `queue ${name} is ${state}`),
    ...deep.map(({ name, messages }) => `${messages} messages wait in ${name}, limit ${max_queue_depth}`),
  ];
  const deepest = watched.toSorted((a, b) => b.messages - a.messages).slice(0, 10);
  const details = {
    ...about,
    queues: queues.length,
    messages_waiting: waiting,
    deepest_queues: deepest.map(({ name, messages, consumers }) => ({ name, messages, consumers })),
  };
  if (problems.length > 0) return { ...failureOf(problems), details };
  return { message: `${waiting} messages wait in ${watched.length} queues`, details };
}

async function checkBroker(
  { url, credentials }: UrlTarget,
  options: RabbitmqCheck,
  signal: AbortSignal,
): Promise<Verdict> {
  const isTls = url.protocol === "amqps:";
  const vhost = decodeURIComponent(url.pathname.slice(1)) || "/";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port) || (isTls ? 5671 : 5672);
  const settings = { protocol: isTls ? "amqps" : "amqp", hostname: host, port, vhost, heartbeat: 0, ...credentials };
  const { default: amqp } = await import("amqplib");
  const opening = amqp.connect(settings, { rejectUnauthorized: options.verify_ssl, servername: host, timeout: 30_000 });
  // Should it open after the check has ended.
  const discard = () => void opening.then((late) => late.close()).catch(() => {});
  let connection: Awaited<typeof opening>;
  try {
    connection = await untilAborted(opening, signal, discard);
  } catch (error) {
    throw refusalOf(error);
  }
  connection.on("error", () => {});
  try {
    const queues = await untilAborted(inspect(connection, options.components), signal, () => {});
    const { version } = objectOf(connection.connection.serverProperties);
    return evaluateQueues(queues, options, { alarms: [], version: textOf(version) });
  } finally {
    await connection.close().catch(() => {});
  }
}

/** The broker closes a channel over a queue that does not exist, so each has its own. */
async function inspect(connection: ChannelModel, names: readonly string[]): Promise<Queue[]> {
  const queues: Queue[] = [];
  for (const name of names) {
    const channel = await connection.createChannel();
    channel.on("error", () => {});
    try {
      const { messageCount, consumerCount } = await channel.checkQueue(name);
      queues.push({ name, messages: messageCount, consumers: consumerCount, state: "running" });
      await channel.close();
    } catch (error) {
      if (!(error instanceof Error && /NOT_FOUND/.test(error.message))) throw error;
    }
  }
  return queues;
}

function refusalOf(error: unknown): unknown {
  const words = error instanceof Error ? error.message : "";
  if (codeOf(error) !== "" && !/Handshake|ACCESS|403/.test(words)) return error;
  if (/ACCESS.REFUSED|403/i.test(words)) return new IoFault("status", "the credentials were refused");
  if (/NOT.ALLOWED|530/i.test(words)) return new IoFault("status", "the virtual host does not exist or is not allowed");
  if (/Socket closed abruptly|got <ConnectionClose/.test(words)) {
    return new IoFault("protocol", "the broker ended the connection at login; does the virtual host exist?");
  }
  if (/handshake|Expected/i.test(words)) return new IoFault("protocol", "the answer is not that of an AMQP broker");
  return error;
}
