import { z } from "zod";
import { Id, Instant, InstantInput } from "./common.ts";
import { CONTACT_TYPES } from "./on-call.ts";
import { WEBHOOK_PROVIDERS } from "./webhook.ts";

/** What may be asked about: an outage is the event of its monitor and that of the incident that it opens. */
export const ASKED_EVENTS = [
  "monitor.down",
  "monitor.up",
  "monitor.degraded",
  "monitor.certificate_expiring",
  "monitor.domain_expiring",
] as const;
export type AskedEvent = (typeof ASKED_EVENTS)[number];

export const AlertReceiversQuery = z.object({
  event: z
    .enum(ASKED_EVENTS)
    .default("monitor.down")
    .meta({ description: "monitor.down is an outage with its incident" }),
  at: InstantInput.optional().meta({
    description: "when: decides who is on call and which maintenance is open; absent: now. Settings are those of now.",
  }),
});
export type AlertReceiversQuery = z.infer<typeof AlertReceiversQuery>;

const UNHEARD = ["off", "audience", "events", "targets"] as const;
const UNREACHED = ["page", "person", "ways"] as const;

export const AlertReceivers = z
  .object({
    channels: z
      .array(
        z.object({
          webhook_id: Id,
          name: z.string(),
          provider: z.enum(WEBHOOK_PROVIDERS),
          events: z.array(z.enum([...ASKED_EVENTS, "incident.created"])),
          failing_since: Instant.nullable().meta({
            description: "its first failed delivery since the last one that arrived; null: the last one arrived",
          }),
        }),
      )
      .meta({ description: "webhooks that are sent the outage, and by which events" }),
    silent_channels: z
      .array(
        z.object({ webhook_id: Id, name: z.string(), provider: z.enum(WEBHOOK_PROVIDERS), reason: z.enum(UNHEARD) }),
      )
      .meta({
        description:
          "webhooks of the page, and for its owner those of the account, that hear nothing of it: they are off, hear no events of the team alone, list other events, or are limited to other monitors",
      }),
    team: z
      .array(z.object({ user_id: Id, name: z.string(), mail: z.boolean(), in_app: z.boolean(), push: z.boolean() }))
      .meta({ description: "the owner and members whom the outage reaches by mail, in the dashboard or in a browser" }),
    silent_team: z.array(z.object({ user_id: Id, name: z.string(), reason: z.enum(UNREACHED) })).meta({
      description:
        "the owner and members who hear nothing of it: the page turned it off, they did, or no way of theirs is on and verified",
    }),
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
                until: Instant.nullable().meta({ description: "when somebody else is on call by that schedule" }),
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
