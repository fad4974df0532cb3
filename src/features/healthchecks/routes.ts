import { createRoute, z } from "@hono/zod-openapi";
import type { RequestScope } from "../../access/scope.ts";
import { ApiError } from "../../contract/errors.ts";
import { type HeartbeatBody, MESSAGE_BYTES_MAX } from "../../contract/push.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { ErrorBody } from "../../http/responses.ts";
import type { PushCredential } from "../../platform/push-tokens.ts";
import { createPinged, findPingKey } from "../ping-keys/service.ts";
import { readMessage } from "../push/heartbeat-input.ts";
import { acceptForeign, countGuess, findForeignCredential } from "../push-aliases/service.ts";

/** Heartbeats by https://healthchecks.io/docs/http_api/: to a token, or to a monitor by its key under the key of its page. */

const tags = ["Heartbeats"];
const policy = { at: ["root"], auth: "public", permission: null, audit: null, rate: "push" } satisfies EndpointPolicy;

const text = (description: string) => ({ description, content: { "text/plain": { schema: z.string() } } });
const ANSWERS = {
  200: { ...text("OK"), headers: z.object({ "Ping-Body-Limit": z.string() }) },
  400: {
    description: "The address or the run id is malformed",
    content: { "text/plain": { schema: z.string() }, "application/json": { schema: ErrorBody } },
  },
  404: text("The token, the key or the name is not known"),
  201: text("Created: the monitor, by `create=1`"),
  403: text("The plan has no room for the monitor, or whoever made the key may not create it"),
  409: text("The name is that of a monitor elsewhere"),
};
const HEADERS = { "Ping-Body-Limit": String(MESSAGE_BYTES_MAX), "Access-Control-Allow-Origin": "*" };
const Query = z.object({
  rid: z.string().optional(),
  create: z.string().optional().meta({ description: "`1`: a monitor that does not exist is created" }),
});

interface Named {
  beat: HeartbeatBody;
  credential: PushCredential;
  is_new?: boolean;
}

async function ping(c: AppContext, key: string, parts: [string?, string?]) {
  const { ctx } = c.var;
  const rid = c.req.query("rid");
  if (rid !== undefined && !z.guid().safeParse(rid).success) return c.text("invalid uuid format", 400);
  const named = await find(ctx, key, { parts, creates: c.req.query("create") === "1" });
  if (named === "malformed") return c.text("invalid url format", 400);
  if (named === undefined) {
    await countGuess(ctx, key);
    return c.text("not found", 404);
  }
  if (named instanceof ApiError) return c.text(named.message, named.status === 409 ? 409 : 403);
  const message = c.req.method === "POST" ? await readMessage(c.req.raw) : null;
  const isTaken = await acceptForeign(ctx, named.credential, { ...named.beat, message, run_id: rid?.toLowerCase() });
  if (!isTaken) return c.text("not found", 404);
  return named.is_new ? c.text("Created", 201, HEADERS) : c.text("OK", 200, HEADERS);
}

/** Behind a token stands a signal, behind the key of a page the name of a monitor and then perhaps a signal. */
async function find(
  ctx: RequestScope,
  key: string,
  { parts, creates }: { parts: [string?, string?]; creates: boolean },
): Promise<Named | "malformed" | ApiError | undefined> {
  const [first, second] = parts;
  const signal = readSignal(second ?? first);
  if (second === undefined && typeof signal === "object") {
    const credential = await findForeignCredential(ctx, key);
    if (credential) return { beat: signal, credential };
  }
  const beat = second === undefined ? SUCCESS : signal;
  if (first === undefined || typeof beat !== "object") return beat === "malformed" ? beat : undefined;
  const page = await findPingKey(ctx, key, first);
  if (page?.credential) return { beat, credential: page.credential };
  if (!page || !creates) return signal === "malformed" ? signal : undefined;
  if (!/^[a-z0-9_-]{1,100}$/.test(first)) return "malformed";
  try {
    return { beat, credential: await createPinged(ctx, page, first), is_new: true };
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 403 && error.status !== 409)) throw error;
    // Of two first pings at once one finds what the other one made.
    const credential = error.status === 409 ? (await findPingKey(ctx, key, first))?.credential : undefined;
    return credential ? { beat, credential } : error;
  }
}

const SUCCESS = { status: "ok" } as const;

function readSignal(signal: string | undefined): HeartbeatBody | "unknown" | "malformed" {
  if (signal === undefined) return SUCCESS;
  if (signal === "start" || signal === "fail" || signal === "log") return { status: signal };
  if (!/^\d{1,9}$/.test(signal)) return "unknown";
  const exit_code = Number(signal);
  return exit_code > 255 ? "malformed" : { exit_code };
}

export const endpoints = (["get", "post"] as const).flatMap((method) => [
  endpoint(
    policy,
    createRoute({
      method,
      path: "/ping/{token}",
      tags,
      summary: "Send a success, as clients of Healthchecks do",
      request: { params: z.object({ token: z.string() }), query: Query },
      responses: ANSWERS,
    }),
    (c) => ping(c, c.req.valid("param").token, []),
  ),
  endpoint(
    policy,
    createRoute({
      method,
      path: "/ping/{token}/{signal}",
      tags,
      summary: "Send a start, a failure, a log line or an exit code, as clients of Healthchecks do",
      description:
        "In place of both: the ping key of a status page, and the `external_key` of a monitor, for a success.",
      request: { params: z.object({ token: z.string(), signal: z.string() }), query: Query },
      responses: ANSWERS,
    }),
    (c) => ping(c, c.req.valid("param").token, [c.req.valid("param").signal]),
  ),
  endpoint(
    policy,
    createRoute({
      method,
      path: "/ping/{ping_key}/{external_key}/{signal}",
      tags,
      summary: "Send a start, a failure, a log line or an exit code to a monitor by its key",
      request: {
        params: z.object({ ping_key: z.string(), external_key: z.string(), signal: z.string() }),
        query: Query,
      },
      responses: ANSWERS,
    }),
    (c) => {
      const { ping_key, external_key, signal } = c.req.valid("param");
      return ping(c, ping_key, [external_key, signal]);
    },
  ),
]);
