import { createRoute, z } from "@hono/zod-openapi";
import { TwilioCall, TwilioMessage } from "../../contract/phone-answer.ts";
import { readForm } from "../../http/body.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { parseInput } from "../../http/errors.ts";
import { BODY_ERRORS, document, OBJECT_ERRORS } from "../../http/responses.ts";
import { answerCall, answerMessage, requireSigned } from "./service.ts";

/** What Twilio sends: the signature is the credential. */
const tags = ["On-call"];
const policy = {
  at: ["root"],
  auth: "public",
  permission: null,
  audit: "phone.answer",
  rate: "public",
} as const satisfies EndpointPolicy;
const XML = "text/xml; charset=utf-8";
const responses = {
  200: document("TwiML: what is said or written back", "text/xml"),
  ...OBJECT_ERRORS,
  413: BODY_ERRORS[413],
  415: BODY_ERRORS[415],
};

async function readSigned<Schema extends z.ZodType>(
  c: AppContext,
  schema: Schema,
  { channel, provider }: { channel: string; provider: "twilio_sms" | "twilio_voice" },
) {
  const { ctx } = c.var;
  const form = await readForm(c.req.raw);
  const { pathname, search } = new URL(c.req.url);
  const line = await requireSigned(ctx, provider, {
    webhook_id: channel,
    signature: c.req.header("x-twilio-signature") ?? "",
    url: `${ctx.publicUrl}${pathname}${search}`,
    form,
  });
  return { line, fields: parseInput(schema, Object.fromEntries(form)) };
}

export const endpoints = [
  endpoint(
    policy,
    createRoute({
      method: "post",
      path: "/integrations/twilio/{channel}/messages",
      tags,
      summary: "Text messages that people write back",
      description:
        "Requests without Twilio's signature under the auth token of the channel are 401. ACK acknowledges; a repeated message changes nothing.",
      request: { params: z.object({ channel: z.uuid() }) },
      responses,
    }),
    async (c) => {
      const named = { channel: c.req.valid("param").channel, provider: "twilio_sms" } as const;
      const { line, fields } = await readSigned(c, TwilioMessage, named);
      return c.body(await answerMessage(c.var.ctx, line, fields), 200, { "content-type": XML });
    },
  ),

  endpoint(
    policy,
    createRoute({
      method: "post",
      path: "/integrations/twilio/{channel}/calls/{notification}",
      tags,
      summary: "Keys of a call, and whether it was answered",
      description:
        "Requests without Twilio's signature under the auth token of the channel are 401. 1 acknowledges, 2 notifies the next step; so does a call that nobody answers.",
      request: { params: z.object({ channel: z.uuid(), notification: z.uuid() }) },
      responses,
    }),
    async (c) => {
      const { channel, notification } = c.req.valid("param");
      const { line, fields } = await readSigned(c, TwilioCall, { channel, provider: "twilio_voice" });
      const said = await answerCall(c.var.ctx, line, { notification_id: notification, call: fields });
      return c.body(said, 200, { "content-type": XML });
    },
  ),
];
