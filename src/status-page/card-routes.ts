import { requireRate } from "../access/rate-limit.ts";
import { notFound } from "../contract/errors.ts";
import { PageParams, type PagePayload } from "../contract/public-page.ts";
import { type AppContext, endpoint } from "../http/endpoint.ts";
import { isKnownTo } from "../http/entity-tags.ts";
import { document, LOCKED, PUBLIC_ERRORS } from "../http/responses.ts";
import { loadTexts } from "../language/texts.ts";
import { sha256Hex } from "../platform/credentials.ts";
import { getRendering, keepRendering } from "../platform/rendering-cache.ts";
import type { CardDay } from "../report/social-card.ts";
import { talliesUntil } from "./extend-to-now.ts";
import { computePageState } from "./page-state.ts";
import { loadPageForViewer, type VisiblePage } from "./responses.ts";

/**
 * The picture that chats and networks show of a page that is shared: its name and its state. It is drawn once for each
 * version of the page, regardless of the reader, and visitors who ask for those that nobody drew yet are counted.
 */
const DAYS = 30;
const FOR_EVERYBODY = "public, max-age=300";

export const endpoints = [
  endpoint(
    { at: ["root"], auth: "public", permission: null, audit: null, rate: "public" },
    {
      method: "get",
      path: "/status/{slug}/card.png",
      tags: ["Public pages"],
      summary: "Get the picture of a public page for link previews",
      description:
        "1200 by 630 pixels, with the page's name, its state and its last 30 days, in the page's own language.",
      request: { params: PageParams },
      responses: {
        200: document("The picture", "image/png"),
        304: { description: "As the If-None-Match says" },
        ...PUBLIC_ERRORS,
        401: LOCKED,
        404: PUBLIC_ERRORS[400],
      },
    },
    async (c) => {
      const shown = await loadPageForViewer(c, c.req.valid("param").slug);
      if (!shown) throw notFound("status page");
      const { body, etag } = await drawOnce(c, shown);
      const headers = {
        "Content-Type": "image/png",
        "Cache-Control": shown.cache_control.startsWith("public") ? FOR_EVERYBODY : shown.cache_control,
        "Cross-Origin-Resource-Policy": "cross-origin",
        ETag: etag,
        Vary: "Authorization, Cookie",
      };
      return isKnownTo(c.req.header("if-none-match") ?? null, etag)
        ? new Response(null, { status: 304, headers })
        : new Response(body, { headers });
    },
  ),
];

async function drawOnce(c: AppContext, { payload, viewing }: VisiblePage) {
  const { page } = payload;
  const texts = await loadTexts(c.env, "page", page.language);
  const { state, headline } = computePageState(payload, viewing.as_of, texts);
  const key = `card ${page.id} ${payload.version} ${payload.generated_at} ${headline}`;
  const known = getRendering(key);
  if (known) return known;
  await requireRate(c.var.ctx, "page_miss");
  const [{ drawSocialCard }, { assetReader }] = await Promise.all([
    import("../report/social-card.ts"),
    import("../report/glyphs.ts"),
  ]);
  const days = worstDays(payload, viewing.as_of).slice(-DAYS);
  const card = { name: page.name, headline, state, color: page.brand_color, direction: texts.direction, days };
  const body = await drawSocialCard(card, assetReader(c.env));
  const rendering = { as_of: viewing.as_of, late_ms: null, body, etag: `"${sha256Hex(body).slice(0, 32)}"` };
  keepRendering(key, rendering);
  return rendering;
}

/** Of each day the worst that any monitor had. */
function worstDays(payload: PagePayload, now: number): CardDay[] {
  const tallies = payload.monitors.map((monitor) => talliesUntil(monitor, payload, now));
  return payload.days.map((_day, n) => {
    const has = (status: "up" | "degraded" | "down" | "maintenance") =>
      tallies.some((days) => (days[n]?.[status] ?? 0) > 0);
    return (["down", "degraded", "maintenance", "up"] as const).find(has) ?? "none";
  });
}
