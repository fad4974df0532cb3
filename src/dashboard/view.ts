import { z } from "zod";
import type { IdLocations } from "../access/id-authorization.ts";
import { notFound, unauthenticated } from "../contract/errors.ts";
import type { Permission } from "../domain/roles.ts";
import { readForm } from "../http/body.ts";
import { type AppContext, type Endpoint, type ErrorPage, endpoint } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { hasAssertion } from "../platform/cloudflare-access.ts";
import { SECOND_FACTOR_PATH } from "./account/second-factor.tsx";
import { noticeCookie } from "./cookies.ts";
import { page, redirectTo, renderErrorPage } from "./responses.ts";
import { renderMessage } from "./views/frame.tsx";
import { words } from "./words.ts";

const tags = ["Dashboard"];

const SHOWN = {
  303: { description: "Redirect; to the sign-in form where no session is sent" },
  304: { description: "What the script shows is current" },
  400: html("Invalid input; the form states why"),
  401: html("Signed out"),
  403: html("Not allowed by role or plan"),
  404: html("No such object, or none that the caller may see"),
  409: html("Conflict with what exists"),
  413: html("More than a form holds"),
  415: html("Not a form"),
  422: html("Repeated with other content"),
  429: html("Too many requests"),
  503: html("Temporarily unavailable"),
};

export interface ViewOptions<Params extends z.ZodObject, Query extends z.ZodObject> {
  /** Below the root: `/app/monitors/{id}`. */
  path: string;
  summary: string;
  params?: Params;
  /** Schemas of query members end in `.catch()`: a mistyped address is no reason to refuse a person. */
  query?: Query;
  /** What the ids of path and query name; the objects are authorised before `show` runs. */
  ids?: IdLocations;
  /** The right that those objects are asked for; absent: to see them. */
  permission?: Permission;
  /** Also for a session that lacks the second factor which is required of it. */
  withoutSecondFactor?: boolean;
}

/** A signed-in view. Without a session the visitor goes to the sign-in form and comes back after it. */
export function view<Params extends z.ZodObject = z.ZodObject, Query extends z.ZodObject = z.ZodObject>(
  { path, summary, params, query, ids, permission, withoutSecondFactor = false }: ViewOptions<Params, Query>,
  show: (c: AppContext, input: { params: z.output<Params>; query: z.output<Query> }) => Response | Promise<Response>,
): Endpoint {
  return endpoint(
    {
      at: ["root"],
      auth: "optional",
      permission: permission ?? null,
      audit: null,
      rate: "api",
      token: "whole",
      refusalPage: refusalPageOf(params),
      withoutSecondFactor,
      onAuthenticated: requireSignedIn,
      ...(ids ? { ids } : {}),
    },
    {
      method: "get",
      path,
      tags,
      summary,
      request: { ...(params ? { params } : {}), ...(query ? { query: describeQuery(query) } : {}) },
      responses: { 200: html("The view"), ...SHOWN },
    },
    (c) => show(c, { params: validated<Params>(c, "param"), query: validated<Query>(c, "query") }),
  );
}

/** The API description knows no schema with a fallback; an address carries texts. */
function describeQuery(query: z.ZodObject): z.ZodObject {
  const entries = Object.entries(query.shape).map(([name, schema]) => [name, schema.meta({ type: "string" })]);
  return z.object(Object.fromEntries(entries));
}

/** An action that shows something without a call of the API names its objects, too. */
type ActionOptions<Params extends z.ZodObject> = Omit<ViewOptions<Params, never>, "query">;

/**
 * The submission of a form. It writes through `callApi`, whose endpoint judges permission, plan, input and rate; a GET of
 * the same address, as after signing in again, is up to the area.
 */
export function action<Params extends z.ZodObject = z.ZodObject>(
  { path, summary, params, ids, permission, withoutSecondFactor = false }: ActionOptions<Params>,
  run: (c: AppContext, form: URLSearchParams, params: z.output<Params>) => Response | Promise<Response>,
): Endpoint {
  return endpoint(
    {
      at: ["root"],
      auth: "optional",
      permission: permission ?? null,
      audit: null,
      rate: "public",
      token: "whole",
      refusalPage: onRefusal,
      withoutSecondFactor,
      onAuthenticated: requireSignedIn,
      ...(ids ? { ids } : {}),
    },
    {
      method: "post",
      path,
      tags,
      summary,
      request: { ...(params ? { params } : {}) },
      responses: { 200: html("The view"), ...SHOWN },
    },
    async (c) => run(c, await readForm(c.req.raw), validated<Params>(c, "param")),
  );
}

/** After a form, so that reloading sends nothing twice; the next view shows the notice once, with a button for `undo`. */
export function redirectWithNotice(path: string, text: string, undo: string | null = null): Response {
  return redirectTo(path, noticeCookie({ text, undo }));
}

/** A session sends the check of its origin with it; a bearer token is sent by no browser on its own. */
async function requireSignedIn(ctx: { principal: { kind: string } }): Promise<void> {
  if (ctx.principal.kind !== "user") throw unauthenticated();
}

function validated<Schema extends z.ZodObject>(c: AppContext, target: "param" | "query"): z.output<Schema> {
  // The route's own validators put the value there; without a schema there is none, and the handler reads none.
  return (c.req.valid as (name: string) => z.output<Schema>)(target);
}

/** An address with something else than an id in it is that of nothing, for a person. */
function refusalPageOf(params: z.ZodObject | undefined): ErrorPage {
  return (c, refusal) => {
    const isMistyped = refusal?.status === 400 && params?.safeParse(c.req.param()).success === false;
    return isMistyped ? renderErrorPage(c, notFound("view")) : onRefusal(c, refusal);
  };
}

const onRefusal: ErrorPage = (c, refusal) => {
  const texts = words("dashboard-frame").refusals;
  if (refusal?.status === 401) return redirectTo(signInPath(c));
  if (refusal?.code === "second_factor_required") return redirectTo(SECOND_FACTOR_PATH);
  const title = refusal && titleOf(refusal.status);
  if (!refusal || title === undefined) return renderErrorPage(c, refusal);
  const text = `${refusal.message.charAt(0).toUpperCase()}${refusal.message.slice(1)}.`;
  // A button of a view that is older than what it shows leads back to the view as it is now.
  const from = c.req.method === "GET" ? null : ownPath(c, c.req.header("referer"));
  const link = from === null ? { href: "/app", text: texts.overview } : { href: from, text: texts.back };
  return page(renderMessage({ title, text, link }), refusal.status);
};

/** Refusals whose own sentence says what a person can do; the others have a fixed text. */
function titleOf(status: number): string | undefined {
  const text = words("dashboard-frame").refusals;
  if (status === 400) return text.invalid.title;
  if (status === 403) return text.forbidden;
  return status === 409 ? text.conflict : undefined;
}

/** Back to where the visitor was going, or where the form stood that they sent. Whom Access let through is asked nothing. */
function signInPath(c: AppContext): string {
  const path = hasAssertion(c.var.settings, c.req.raw) ? "/app/sign-in/with/access" : "/app/sign-in";
  const next = ownPath(c, c.req.method === "GET" ? c.req.url : c.req.header("referer"));
  return next === null ? path : `${path}?next=${encodeURIComponent(next)}`;
}

/** Of a view of this dashboard; null of any other address. */
function ownPath(c: AppContext, address: string | undefined): string | null {
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  const isOurs = url?.origin === new URL(c.req.url).origin || url?.origin === new URL(c.var.publicUrl).origin;
  return url && isOurs && url.pathname.startsWith("/app/") ? url.pathname + url.search : null;
}
