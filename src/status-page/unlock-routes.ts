import type { Context } from "hono";
import { type ApiError, notFound, wrongPassword } from "../contract/errors.ts";
import { PageParams, Unlocked, UnlockInput } from "../contract/public-page.ts";
import { SLUG } from "../contract/status-page.ts";
import { findPageVersion } from "../data/public-page/read.ts";
import { buildPageUrls } from "../domain/page-address.ts";
import { type AppEnv, endpoint } from "../http/endpoint.ts";
import { toErrorResponse } from "../http/errors.ts";
import { json, jsonBody, PUBLIC_ERRORS, USER_ERRORS } from "../http/responses.ts";
import { toIso } from "../platform/clock.ts";
import { lockOf, unlockCookie } from "../platform/page-unlock.ts";
import { isPassword } from "../platform/password.ts";
import { respondLocked, respondWithError, textsFor } from "./messages.ts";

/** A password opens a page to the visitor's browser for twelve hours, or until the page gets another one. */
const tags = ["Public pages"];

export const endpoints = [
  endpoint(
    {
      at: ["root"],
      auth: "public",
      permission: null,
      audit: null,
      rate: "unlock",
      acceptsForm: true,
      refusalPage: refuse,
    },
    {
      method: "post",
      path: "/status/{slug}/unlock",
      tags,
      summary: "Enter the password of a public page",
      description:
        "Sets a cookie that is good for 12 hours, or until the password is changed. Without it the page, its documents, feeds, badges and live updates are 401. The page's own form sends application/x-www-form-urlencoded and is redirected to the page.",
      request: { params: PageParams, body: jsonBody(UnlockInput) },
      responses: {
        200: json("Unlocked; the cookie is set", Unlocked),
        303: { description: "Unlocked, for a form: to the page" },
        ...PUBLIC_ERRORS,
        401: { ...USER_ERRORS[401], description: "Wrong password" },
        404: { ...PUBLIC_ERRORS[400], description: "No such page, or a private one" },
      },
    },
    async (c) => {
      const { ctx } = c.var;
      const { slug } = c.req.valid("param");
      const { password, next } = c.req.valid("json");
      const page = SLUG.test(slug) ? await findPageVersion(ctx.db, slug) : undefined;
      if (!page?.is_public) throw notFound("status page");
      const secret = ctx.settings.ROOT_SECRET;
      if (page.password_hash !== null && !isPassword(ctx.settings, password, page.password_hash)) throw wrongPassword();
      const cookie =
        page.password_hash === null
          ? null
          : unlockCookie(secret, {
              page: { page_id: page.id, lock: lockOf(secret, page.password_hash) },
              now: ctx.now,
              isSecure: [ctx.publicUrl, c.req.url].some((url) => url.startsWith("https:")),
            });
      if (cookie) c.header("Set-Cookie", cookie.header);
      c.header("Cache-Control", "no-store");
      if (!c.var.isForm) return c.json({ expires_at: cookie ? toIso(cookie.expires_at) : null }, 200);
      const own = { service_url: "", is_own_domain: c.var.isOwnDomain === true };
      const { base, home } = buildPageUrls({ slug, domain: null }, own);
      return c.redirect(isWithinPage(next) ? base + next : home, 303);
    },
  ),
];

/** Nothing that a browser could take for another host. */
function isWithinPage(path: string | undefined): path is string {
  return path !== undefined && /^(?:\/[\w.-]+)+$/.test(path);
}

/** People get the form again, with what was wrong. */
async function refuse(c: Context<AppEnv>, error: ApiError | undefined): Promise<Response> {
  if (!c.var.isForm) return toErrorResponse(error, c.var.requestId, c.var.log);
  const sent = UnlockInput.safeParse(await c.req.bodyCache.json);
  const next = isWithinPage(sent.data?.next) ? sent.data.next : "";
  const words = (await textsFor(c)).unlock;
  switch (error?.status) {
    case 400:
      return respondLocked(c, { problem: words.missing, status: 400, next });
    case 401:
      return respondLocked(c, { problem: words.wrong, status: 401, next });
    case 429: {
      const problem = words.too_many({ seconds: error.headers["Retry-After"] ?? "60" });
      return respondLocked(c, { problem, status: 429, next }, error.headers);
    }
    default:
      return respondWithError(c, error);
  }
}
