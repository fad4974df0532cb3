import { createRoute, z } from "@hono/zod-openapi";
import { requirePushCredential } from "../../access/principal.ts";
import { unauthenticated } from "../../contract/errors.ts";
import { HeartbeatAccepted, HeartbeatBody, PUSH_BYTES_MAX } from "../../contract/push.ts";
import { parseJsonBody, readRequestBody } from "../../http/body.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { rejectInvalid } from "../../http/errors.ts";
import { BODY_ERRORS, IdParam, json, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { acceptPush } from "./accept.ts";
import { clip, toHeartbeat } from "./heartbeat-input.ts";
import { presentBeat } from "./present-beat.ts";
import { rotateCredential } from "./service.ts";

const tags = ["Heartbeats"];
const heartbeats = {
  at: ["root", "v1"],
  auth: "heartbeat",
  permission: null,
  audit: null,
  rate: "push",
} satisfies EndpointPolicy;

const MonitorParam = z.object({ monitor_id: z.string() });
const BeatQuery = HeartbeatBody.extend({ token: z.string().optional() }).meta({ id: "BeatQuery" });

async function acceptHeartbeat(c: AppContext, monitorId: string, input: HeartbeatBody) {
  const { ctx } = c.var;
  const credential = requirePushCredential(ctx);
  if (credential.monitor_id !== monitorId.toLowerCase()) throw unauthenticated();
  const taken = await acceptPush(ctx, credential, { kind: "heartbeat", beat: toHeartbeat(input) });
  return presentBeat(credential.monitor_id, taken);
}

/** A heartbeat as JSON, or any text, which is its message. */
async function readBody(c: AppContext): Promise<HeartbeatBody> {
  const bytes = await readRequestBody(c.req.raw, PUSH_BYTES_MAX);
  if (bytes.length === 0) return {};
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return { message: clip(bytes) };
  const parsed = HeartbeatBody.safeParse(parseJsonBody(type, bytes));
  rejectInvalid(parsed, c);
  return parsed.data ?? {};
}

const accepted = {
  200: json("Accepted", HeartbeatAccepted),
  400: USER_ERRORS[400],
  401: USER_ERRORS[401],
  413: BODY_ERRORS[413],
  415: BODY_ERRORS[415],
};
const about =
  "`ok` and `fail` are results of a job; `start` and `log` are stored and do not change the status. A wrong token and an unknown monitor are both 401. Prefer the Authorization header, because addresses appear in logs.";

export const endpoints = [
  endpoint(
    {
      ...heartbeats,
      ownBody: { "application/json": { schema: HeartbeatBody }, "text/plain": { schema: z.string() } },
    },
    createRoute({
      method: "post",
      path: "/heartbeat/{monitor_id}",
      tags,
      summary: "Send a heartbeat",
      description: `The body is a heartbeat as JSON, or text that is stored as the message, or empty. ${about}`,
      request: { params: MonitorParam, query: BeatQuery },
      responses: accepted,
    }),
    async (c) => {
      const said = Object.entries(await readBody(c)).filter(([, value]) => value !== null);
      const input = { ...c.req.valid("query"), ...Object.fromEntries(said) };
      return c.json(await acceptHeartbeat(c, c.req.valid("param").monitor_id, input), 200);
    },
  ),

  endpoint(
    heartbeats,
    createRoute({
      method: "get",
      path: "/heartbeat/{monitor_id}",
      tags,
      summary: "Send a heartbeat by GET",
      description: about,
      request: { params: MonitorParam, query: BeatQuery },
      responses: accepted,
    }),
    async (c) => c.json(await acceptHeartbeat(c, c.req.valid("param").monitor_id, c.req.valid("query")), 200),
  ),

  endpoint(
    {
      at: ["v1"],
      auth: "user",
      permission: "monitors.write",
      audit: "monitor.credential_replaced",
      rate: "api",
      ids: { params: { id: "monitor" } },
    },
    createRoute({
      method: "post",
      path: "/monitors/{id}/regenerate-heartbeat-token",
      tags,
      summary: "Rotate the heartbeat token of a monitor",
      description: "The previous one is rejected at once.",
      request: { params: IdParam },
      responses: {
        200: json(
          "The new token",
          z.object({ monitor_id: z.uuid(), heartbeat_token: z.string(), push_urls: z.record(z.string(), z.string()) }),
        ),
        ...OBJECT_ERRORS,
      },
    }),
    async (c) => {
      const { record, access } = await rotateCredential(c.var.ctx, c.req.valid("param").id, "heartbeat");
      const { heartbeat_token, push_urls } = access;
      return c.json({ monitor_id: record.id, heartbeat_token: heartbeat_token ?? "", push_urls: push_urls ?? {} }, 200);
    },
  ),
];
