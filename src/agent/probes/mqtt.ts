import { randomBytes } from "node:crypto";
import type { MqttClient } from "mqtt";
import type { MqttCheck } from "../../contract/infrastructure-check.ts";
import { IoFault } from "../../lib/io-fault.ts";
import { mqttType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import type { ServerTarget } from "../../probes/server-target.ts";
import { checkWith, untilAborted, type Verdict } from "./verdict.ts";

export const mqttProbe: Probe<ServerTarget, MqttCheck> = {
  ...mqttType,
  check: (target, options, io, signal) =>
    checkWith(io, signal, async () => {
      const client = await open(target, options);
      try {
        return await untilAborted(
          converse(client, options, () => io.now()),
          signal,
          () => {},
        );
      } catch (error) {
        throw options.mqtt_topic !== null && signal.aborted && client.connected
          ? new IoFault("status", "no message arrived on mqtt_topic within the time-out")
          : refusalOf(error);
      } finally {
        client.end(true);
      }
    }),
};

async function open({ host, port, tls, credentials }: ServerTarget, { verify_ssl }: MqttCheck): Promise<MqttClient> {
  const { default: mqtt } = await import("mqtt");
  return mqtt.connect({
    protocol: tls === "on" ? "mqtts" : "mqtt",
    host: host.replace(/^\[|\]$/g, ""),
    port,
    ...credentials,
    clientId: `vigil-${randomBytes(8).toString("hex")}`,
    rejectUnauthorized: verify_ssl,
    reconnectPeriod: 0,
    connectTimeout: 30_000,
    // A session would stay with the broker.
    clean: true,
  });
}

function converse(client: MqttClient, { mqtt_topic }: MqttCheck, now: () => number): Promise<Verdict> {
  const startedAt = now();
  return new Promise((resolve, reject) => {
    client.on("error", reject);
    client.on("close", () => reject(new IoFault("connect", "connection closed before a valid answer")));
    client.on("connect", () => {
      const latency_ms = now() - startedAt;
      if (mqtt_topic === null)
        return resolve({ message: "the broker accepts the connection", latency_ms, details: {} });
      client.subscribe(mqtt_topic, (error, granted) => {
        // 128 is the broker's refusal.
        if (error || granted?.some(({ qos }) => Number(qos) >= 128)) {
          reject(new IoFault("status", "the broker does not let this user subscribe to mqtt_topic"));
        }
      });
      client.on("message", (topic, payload, { retain }) =>
        resolve({
          message: `message of ${payload.length} bytes on ${topic}`,
          latency_ms,
          details: { topic, bytes: payload.length, retained: retain },
        }),
      );
    });
  });
}

/** https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/os/mqtt-v3.1.1-os.html#_Toc385349256 */
function refusalOf(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === 4 || code === 5 || code === 134 || code === 135)
    return new IoFault("status", "the credentials were refused");
  if (typeof code === "number") return new IoFault("status", `the broker refuses the connection (code ${code})`);
  const isNonsense =
    error instanceof Error && /packet|header|Invalid|protocol/i.test(error.message) && code === undefined;
  return isNonsense ? new IoFault("protocol", "the answer is not that of an MQTT broker") : error;
}
