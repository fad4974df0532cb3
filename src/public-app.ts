import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv, Endpoint } from "./http/endpoint.ts";
import { rejectInvalid } from "./http/errors.ts";
import { mountAll } from "./http/middleware.ts";
import { lazy } from "./lib/lazy.ts";
import { HTML_AREA, endpoints as pages } from "./status-page/routes.ts";
import { endpoints as subscribing } from "./status-page/subscribe-routes.ts";
import { endpoints as subscriptionLinks } from "./status-page/subscription-link-routes.ts";
import { endpoints as unlocking } from "./status-page/unlock-routes.ts";
import { answerWarm } from "./status-page/warm-answers.ts";

/** What comes first stands before `/status/{slug}`, of which it is a part. */
export const PUBLIC_ENDPOINTS: readonly Endpoint[] = [...subscribing, ...subscriptionLinks, ...unlocking, ...pages];

/** Public pages alone, for an isolate that only visitors come to: all routes take it twice as long. */
function createPublicApp(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>({ defaultHook: rejectInvalid });
  const { fetch } = app;
  app.fetch = (request, env, context) => answerWarm(request, env) ?? fetch(request, env, context);
  mountAll(app, PUBLIC_ENDPOINTS, [HTML_AREA]);
  return app;
}

export const getPublicApp = lazy(createPublicApp);
