import { z } from "zod";

/** What Slack sends (https://docs.slack.dev/reference/interaction-payloads), as far as it is read. */
const SlackId = z.string().regex(/^[A-Z0-9]{2,40}$/);
const Asking = {
  team: z.object({ id: SlackId }).nullish(),
  user: z.object({
    id: SlackId,
    /** Of the person, where a channel is shared with another workspace. */
    team_id: SlackId.nullish(),
    username: z.string().max(200).nullish(),
    name: z.string().max(200).nullish(),
  }),
};

export const SlackPress = z.object({
  ...Asking,
  type: z.literal("block_actions"),
  trigger_id: z.string().max(500).nullish(),
  response_url: z.url().nullish(),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().nullish() })).max(25),
});
export type SlackPress = z.infer<typeof SlackPress>;

/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
export const SlackSubmission = z.object({
  ...Asking,
  type: z.literal("view_submission"),
  view: z.object({
    id: z.string().max(255),
    callback_id: z.string(),
    private_metadata: z.string().max(3000),
    state: z.object({
      values: z.record(
        z.string(),
        z.record(
          z.string(),
          z.object({
            value: z.string().nullish(),
            selected_option: z.object({ value: z.string() }).nullish(),
          }),
        ),
      ),
    }),
  }),
});
export type SlackSubmission = z.infer<typeof SlackSubmission>;

/** Anything else that an app may be sent, such as the end of a modal, asks for nothing. */
export const SlackPayload = z.union([SlackPress, SlackSubmission, z.object({ type: z.string() })]);
export type SlackPayload = z.infer<typeof SlackPayload>;

/** https://docs.slack.dev/interactivity/implementing-slash-commands */
export const SlackCommand = z.object({
  team_id: SlackId,
  user_id: SlackId,
  user_name: z.string().max(200).default(""),
  text: z.string().max(4000).default(""),
});
export type SlackCommand = z.infer<typeof SlackCommand>;
