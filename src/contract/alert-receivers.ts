import { z } from "zod";
import { Id, Instant } from "./common.ts";
import { CONTACT_TYPES } from "./on-call.ts";
import { WEBHOOK_PROVIDERS } from "./webhook.ts";

export const AlertReceivers = z
  .object({
    channels: z
      .array(
        z.object({
          webhook_id: Id,
          name: z.string(),
          provider: z.enum(WEBHOOK_PROVIDERS),
          events: z.array(z.enum(["monitor.down", "incident.created"])),
        }),
      )
      .meta({ description: "webhooks that are sent the outage, and by which events" }),
    team: z
      .array(z.object({ user_id: Id, name: z.string(), mail: z.boolean(), in_app: z.boolean(), push: z.boolean() }))
      .meta({ description: "the owner and members whom the outage reaches by mail, in the dashboard or in a browser" }),
    on_call: z
      .object({
        policy_id: Id,
        name: z.string(),
        steps: z.array(
          z.object({
            level: z.int(),
            after_minutes: z.int().meta({ description: "since the outage was announced, if nobody acknowledges" }),
            contacts: z.array(
              z.object({
                type: z.enum(CONTACT_TYPES),
                label: z.string().nullable(),
                user_id: Id.nullable().meta({ description: "who that is now; null: nobody, or no user" }),
                name: z.string().nullable().meta({ description: "of that user" }),
              }),
            ),
          }),
        ),
      })
      .nullable()
      .meta({ description: "the escalation policy that notifies; null: none" }),
    in_maintenance: z.boolean().meta({ description: "now: nothing is sent before the window ends" }),
    withheld_until: Instant.nullable().meta({ description: "by a mute or a rule; null: nothing withholds alerts now" }),
  })
  .meta({ id: "AlertReceivers" });
export type AlertReceivers = z.infer<typeof AlertReceivers>;
