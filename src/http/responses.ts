import { type RouteConfig, z } from "@hono/zod-openapi";
import { ERROR_CODES } from "../contract/errors.ts";

export const ErrorBody = z
  .object({
    error: z.string(),
    code: z
      .enum(Object.values(ERROR_CODES).flat())
      .optional()
      .meta({ description: "stable; each refusal of an operation names those that it may carry" }),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    request_id: z.string().optional(),
  })
  .meta({ id: "Error" });

type Refused = Exclude<keyof typeof ERROR_CODES, 500>;
const refusal = (status: Refused, description: string) => ({
  description: `${description} (code ${ERROR_CODES[status].join(", ")})`,
  content: { "application/json": { schema: ErrorBody } },
});

const RETRY_AFTER = {
  "Retry-After": { description: "Seconds after which to try again", schema: { type: "integer" as const } },
};

/** Answers that every endpoint may give. */
export const PUBLIC_ERRORS = {
  400: refusal(400, "Invalid input"),
  429: { ...refusal(429, "Rate limited"), headers: RETRY_AFTER },
  503: { ...refusal(503, "A store is not reachable; nothing was written"), headers: RETRY_AFTER },
};
/** For documents of public pages. */
export const LOCKED = refusal(401, "The page has a password, which the caller has to enter first");
/** For what opens a session. */
export const DEACTIVATED = refusal(403, "An operator deactivated the account");
export const USER_ERRORS = {
  ...PUBLIC_ERRORS,
  401: refusal(401, "Missing, invalid, revoked or expired credential"),
  403: refusal(403, "Not allowed by your role or plan"),
};
/** For endpoints that name an object in their path. */
export const OBJECT_ERRORS = { ...USER_ERRORS, 404: refusal(404, "Not found") };
/** For endpoints with a JSON body. */
export const BODY_ERRORS = {
  409: refusal(409, "Conflict with what exists"),
  410: refusal(410, "What a request with this Idempotency-Key made was deleted since"),
  413: refusal(413, "Body too large"),
  415: refusal(415, "Body is not JSON"),
  422: refusal(422, "Idempotency-Key reused with another body"),
};

/** The members of a policy that decide how its operation may refuse. */
interface RefusalPolicy {
  auth: string;
  ids?: { params?: object };
  refusalPage?: unknown;
}

/** Every refusal that the frame itself may give an endpoint, so that no feature has to remember them. */
function errorsOf(policy: RefusalPolicy, route: RouteConfig): RouteConfig["responses"] {
  const isPost = route.method === "post";
  return {
    ...(policy.auth === "public" ? PUBLIC_ERRORS : USER_ERRORS),
    ...(policy.ids?.params ? { 404: OBJECT_ERRORS[404] } : {}),
    ...(route.request?.body ? { 413: BODY_ERRORS[413], 415: BODY_ERRORS[415] } : {}),
    ...(isPost && policy.auth === "user"
      ? { 409: BODY_ERRORS[409], 410: BODY_ERRORS[410], 422: BODY_ERRORS[422] }
      : {}),
  };
}

/** Everything that an operation answers. Where people are refused by a page, the frame may still refuse as JSON. */
export function responsesOf(policy: RefusalPolicy, route: RouteConfig): RouteConfig["responses"] {
  const responses = { ...errorsOf(policy, route), ...route.responses };
  if (!policy.refusalPage) return responses;
  const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  const both = refusals.map(([status, response]) => [
    status,
    { ...response, content: { "application/json": { schema: ErrorBody }, "text/html": { schema: z.string() } } },
  ]);
  return { ...responses, ...Object.fromEntries(both) };
}

export const json = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { "application/json": { schema } },
});
/** What is text, but not JSON. */
export const document = (description: string, type: string) => ({
  description,
  content: { [type]: { schema: z.string() } },
});
export const html = (description: string) => document(description, "text/html");
export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { "application/json": { schema } },
});
export const noContent = { 204: { description: "Done; no body" } };

export const IdParam = z.object({ id: z.uuid() });
