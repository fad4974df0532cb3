import { z } from "zod";

/** As hard to come upon by guessing as what else senders present; a token of this service is none. */
export const PING_KEY = /^(?!hb_|pk_)[\w-]{16,100}$/;

export const PingKeyBody = z
  .object({
    key: z
      .string()
      .regex(PING_KEY, "must have 16 to 100 letters, digits, _ and -, and not begin like a token of this service")
      .nullish()
      .meta({
        description: "that of a project of Healthchecks, whose senders go on with it; omitted: a new one; null: none",
      }),
  })
  .meta({ id: "PingKeyChange" });

export const PingKey = z
  .object({
    status_page_id: z.uuid(),
    key: z.string().nullable().meta({ description: "shown here alone; only its hash is stored" }),
    ping_url: z
      .string()
      .nullable()
      .meta({ description: "where a heartbeat is sent, with a monitor's `external_key` in place of `{key}`" }),
  })
  .meta({ id: "PingKey" });
