import { createRoute, z } from "@hono/zod-openapi";
import { type HeartbeatBody, PUSH_ALIAS_LENGTH_MIN } from "../../contract/push.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, ErrorBody, IdParam, json, jsonBody, OBJECT_ERRORS } from "../../http/responses.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { acceptForeign, countGuess, findForeignCredential, setPushAlias } from "./service.ts";

const tags = ["Heartbeats"];
/** Their clients carry the credential in the path and read answers of their own form. */
const foreign = { at: ["root"], auth: "public", permission: null, audit: null, rate: "push" } satisfies EndpointPolicy;

/** What another tool may have given to senders; a token of this service is no alias. */
const PushAlias = z
  .string()
  .min(PUSH_ALIAS_LENGTH_MIN)
  .max(300)
  .regex(/^[\w.:/-]+$/, "must have letters, digits and _ . : / - only")
  .refine((token) => !/^(?:hb|pk)_/.test(token), "must not be a token of this service");

/** The name of an external endpoint of Gatus and its token, as one credential. */
const gatusAlias = (key: string, token: string) => `${key}/${token}`;

const GatusQuery = z.object({
  success: z.enum(["true", "false"]),
  error: z.string().optional(),
  duration: z.string().optional().meta({ description: "such as 10s or 150ms" }),
});

/** A result as Gatus accepts it for its external endpoints. */
async function gatusPush(c: AppContext, key: string, query: z.infer<typeof GatusQuery>) {
  const token = /^Bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  const beat = { status: query.success === "true" ? ("ok" as const) : ("fail" as const), message: query.error };
  const taken = await accept(c, gatusAlias(key, token), { ...beat, duration_ms: readDuration(query.duration) });
  return taken ? c.body(null, 200) : c.body(null, 401);
}

const DURATION_UNITS_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000 };

function readDuration(text: string | undefined): number | null {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text ?? "") ?? [];
  return count === undefined ? null : Math.round(Number(count) * (DURATION_UNITS_MS[unit ?? ""] ?? 1));
}

const KumaQuery = z.object({
  status: z.string().optional().meta({ description: "`up`, which is the default; anything else is down" }),
  msg: z.string().optional(),
  ping: z.string().optional().meta({ description: "milliseconds" }),
});
const KUMA_PING_MAX_MS = DAY_MS;
const KumaRefusal = z
  .object({ ok: z.literal(false), msg: z.string(), error: z.string() })
  .meta({ id: "UptimeKumaRefusal" });
const kumaRefusal = (msg: string) => ({ ok: false as const, msg, error: msg });

/** A heartbeat as Uptime Kuma's push monitors accept it. */
async function kumaPush(c: AppContext, token: string) {
  const { status = "up", msg, ping: latency } = c.req.query();
  // As in Uptime Kuma, a latency that is no number is none: scripts insert the output of a ping, and the heartbeat counts.
  const duration_ms = Number.parseFloat(latency ?? "") || null;
  if (duration_ms !== null && !(duration_ms >= 0 && duration_ms <= KUMA_PING_MAX_MS)) {
    return c.json(kumaRefusal(`ping must be from 0 to ${KUMA_PING_MAX_MS} ms`), 400);
  }
  const beat = { status: status === "up" ? ("ok" as const) : ("fail" as const), message: msg, duration_ms };
  const taken = await accept(c, token, beat);
  if (!taken) return c.json(kumaRefusal("Monitor not found or not active."), 404);
  return c.json({ ok: true as const }, 200);
}

const PushAliasBody = z.object({ token: PushAlias.nullable() }).meta({ id: "PushAlias" });

/** False for an invalid token, for which each client protocol has its own response. */
async function accept({ var: { ctx } }: AppContext, token: string, input: HeartbeatBody): Promise<boolean> {
  const credential = await findForeignCredential(ctx, token);
  if (credential) return acceptForeign(ctx, credential, input);
  await countGuess(ctx, token);
  return false;
}

/** Both methods of an address that mean the same. */
const METHODS = ["get", "post"] as const;

export const endpoints = [
  endpoint(
    {
      at: ["v1"],
      auth: "user",
      permission: "monitors.write",
      audit: "monitor.credential_replaced",
      rate: "push_alias",
      ids: { params: { id: "monitor" } },
    },
    createRoute({
      method: "put",
      path: "/monitors/{id}/push-alias",
      tags,
      summary: "Set the push credential that another tool had given out",
      description:
        "Uptime Kuma: the token of its push address; Gatus: `key/token` of an external endpoint. Senders reach this service under the former name, with the credential that they have; null removes it. 409 where another monitor has it.",
      request: { params: IdParam, body: jsonBody(PushAliasBody) },
      responses: {
        200: json("Whether one is set", z.object({ monitor_id: z.uuid(), is_set: z.boolean() })),
        ...OBJECT_ERRORS,
        ...BODY_ERRORS,
      },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const { token } = c.req.valid("json");
      await setPushAlias(c.var.ctx, id, token);
      return c.json({ monitor_id: id, is_set: token !== null }, 200);
    },
  ),

  endpoint(
    foreign,
    createRoute({
      method: "post",
      path: "/api/v1/endpoints/{key}/external",
      tags,
      summary: "Send a heartbeat, as clients of Gatus do",
      request: { params: z.object({ key: z.string() }), query: GatusQuery },
      responses: {
        200: { description: "Accepted" },
        401: { description: "The token is not of this endpoint" },
      },
    }),
    (c) => gatusPush(c, c.req.valid("param").key, c.req.valid("query")),
  ),

  ...METHODS.flatMap((method) => [
    endpoint(
      foreign,
      createRoute({
        method,
        path: "/api/push/{token}",
        tags,
        summary: "Send a heartbeat, as clients of Uptime Kuma do",
        request: { params: z.object({ token: z.string() }), query: KumaQuery },
        responses: {
          200: json("Accepted", z.object({ ok: z.literal(true) })),
          400: json("A value, or the address itself, is not valid", z.union([KumaRefusal, ErrorBody])),
          404: json("The token is not known", KumaRefusal),
        },
      }),
      (c) => kumaPush(c, c.req.valid("param").token),
    ),
  ]),
];
