import { z } from "zod";
import { HttpCheck } from "./http-check.ts";

/** The fields of monitors that only an agent runs: how they are read, with the defaults that apply where one is absent or null. */

const Count = z.int().min(0).max(1_000_000_000);
const Word = z.string().trim().min(1).max(200);

export const KAFKA_SASL_MECHANISMS = ["plain", "scram-sha-256", "scram-sha-512"] as const;
export const SNMP_VERSIONS = ["1", "2c", "3"] as const;
export const SNMP_AUTH_PROTOCOLS = ["md5", "sha", "sha256", "sha512"] as const;
export const SNMP_PRIVACY_PROTOCOLS = ["des", "aes", "aes256"] as const;
export const SNMP_OPERATORS = ["eq", "neq", "gt", "gte", "lt", "lte", "contains"] as const;
export type SnmpOperator = (typeof SNMP_OPERATORS)[number];

export const INFRASTRUCTURE_FIELDS = {
  components: z
    .array(Word)
    .max(100)
    .nullish()
    .meta({
      description:
        "the parts that must be well: docker, podman: containers; docker_swarm: services; kubernetes: " +
        "`namespace/deployment`; proxmox, vmware: virtual machines; rabbitmq: queues; kafka: topics; network_device: " +
        "interfaces; absent: all that are meant to run",
    }),
  packet_loss_max_percent: z
    .int()
    .min(0)
    .max(99)
    .nullish()
    .meta({ description: "icmp, ping: a failure above it; default 50" }),
  udp_payload: z.string().max(1000).nullish().meta({ description: "udp: what is sent; bytes are written as `\\x00`" }),
  udp_expects_reply: z
    .boolean()
    .nullish()
    .meta({ description: "udp: whether silence is a failure; default: where udp_payload or expected_body is set" }),
  max_queue_depth: Count.nullish().meta({ description: "rabbitmq: a failure when more messages wait in a queue" }),
  consumer_group: Word.nullish().meta({ description: "kafka: the consumer group whose lag is watched" }),
  max_consumer_lag: Count.nullish().meta({ description: "kafka: a failure when the consumer group is further behind" }),
  kafka_sasl_mechanism: z
    .enum(KAFKA_SASL_MECHANISMS)
    .nullish()
    .meta({ description: "kafka: how the user name and password of the target are presented; default plain" }),
  mqtt_topic: Word.nullish().meta({ description: "mqtt: a message has to arrive on it within the time-out" }),
  snmp_version: z.enum(SNMP_VERSIONS).nullish().meta({ description: "snmp, network_device: default 2c" }),
  snmp_auth_protocol: z.enum(SNMP_AUTH_PROTOCOLS).nullish().meta({ description: "snmp version 3: default sha" }),
  snmp_privacy_protocol: z.enum(SNMP_PRIVACY_PROTOCOLS).nullish().meta({ description: "snmp version 3: default aes" }),
  snmp_oid: z
    .string()
    .regex(/^\.?[0-2](\.\d{1,10}){1,127}$/, "snmp_oid must be numeric, such as 1.3.6.1.2.1.1.3.0")
    .nullish()
    .meta({ description: "snmp: the value that is read; default: sysUpTime" }),
  snmp_operator: z.enum(SNMP_OPERATORS).nullish().meta({ description: "snmp: how the value compares to snmp_value" }),
  snmp_value: z.string().max(1000).nullish().meta({ description: "snmp: what the value is compared to" }),
};
const fields = INFRASTRUCTURE_FIELDS;
const http = HttpCheck.shape;

const components = fields.components.transform((value) => value ?? []);

export const PingCheck = z.object({
  packet_loss_max_percent: fields.packet_loss_max_percent.transform((value) => value ?? 50),
});
export type PingCheck = z.infer<typeof PingCheck>;

export const UdpCheck = z.object({
  udp_payload: fields.udp_payload.transform((value) => value ?? ""),
  expected_body: http.expected_body,
  udp_expects_reply: fields.udp_expects_reply.transform((value) => value ?? null),
});
export type UdpCheck = z.infer<typeof UdpCheck>;

/** Of types that are read over HTTP. */
export const ApiCheck = z.object({ components, http_headers: http.http_headers, verify_ssl: http.verify_ssl });
export type ApiCheck = z.infer<typeof ApiCheck>;

export const RabbitmqCheck = ApiCheck.extend({
  max_queue_depth: fields.max_queue_depth.transform((value) => value ?? null),
});
export type RabbitmqCheck = z.infer<typeof RabbitmqCheck>;

export const KafkaCheck = z
  .object({
    components,
    verify_ssl: http.verify_ssl,
    consumer_group: fields.consumer_group.transform((value) => value ?? null),
    max_consumer_lag: fields.max_consumer_lag.transform((value) => value ?? null),
    kafka_sasl_mechanism: fields.kafka_sasl_mechanism.transform((value) => value ?? "plain"),
  })
  .refine(({ consumer_group, max_consumer_lag }) => max_consumer_lag === null || consumer_group !== null, {
    path: ["consumer_group"],
    message: "consumer_group is needed with max_consumer_lag",
  });
export type KafkaCheck = z.infer<typeof KafkaCheck>;

export const MqttCheck = z.object({
  verify_ssl: http.verify_ssl,
  mqtt_topic: fields.mqtt_topic.transform((value) => value ?? null),
});
export type MqttCheck = z.infer<typeof MqttCheck>;

const snmp = {
  snmp_version: fields.snmp_version.transform((value) => value ?? "2c"),
  snmp_auth_protocol: fields.snmp_auth_protocol.transform((value) => value ?? "sha"),
  snmp_privacy_protocol: fields.snmp_privacy_protocol.transform((value) => value ?? "aes"),
};
export const SnmpCheck = z
  .object({
    ...snmp,
    snmp_oid: fields.snmp_oid.transform((value) => value?.replace(/^\./, "") ?? "1.3.6.1.2.1.1.3.0"),
    snmp_operator: fields.snmp_operator.transform((value) => value ?? null),
    snmp_value: fields.snmp_value.transform((value) => value ?? null),
  })
  .refine(({ snmp_operator, snmp_value }) => (snmp_operator === null) === (snmp_value === null), {
    path: ["snmp_value"],
    message: "snmp_value and snmp_operator are only of use together",
  });
export type SnmpCheck = z.infer<typeof SnmpCheck>;

export const NetworkDeviceCheck = z.object({ ...snmp, components });
export type NetworkDeviceCheck = z.infer<typeof NetworkDeviceCheck>;
export type SnmpAccess = Pick<SnmpCheck, "snmp_version" | "snmp_auth_protocol" | "snmp_privacy_protocol">;
