import type { Context } from "hono";
import { z } from "zod";
import { notFound } from "../contract/errors.ts";
import { PageParams, PastQuery } from "../contract/public-page.ts";
import { STATUSPAGE_DOCUMENTS, type StatuspageAnswer } from "../contract/statuspage-api.ts";
import { type AppEnv, type Endpoint, type EndpointPolicy, endpoint } from "../http/endpoint.ts";
import { document, json, LOCKED, PUBLIC_ERRORS } from "../http/responses.ts";
import { loadTexts } from "../language/texts.ts";
import { renderCalendar } from "./calendar.ts";
import { type FeedSource, renderAtom, renderJsonFeed, renderRss } from "./feeds.ts";
import { loadPageAt, respond } from "./responses.ts";
import { presentStatuspage } from "./statuspage-api.ts";

/** The page for feed readers, calendars and programs that know Statuspage. */

const tags = ["Public pages"];
const policy: EndpointPolicy = { at: ["root"], auth: "public", permission: null, audit: null, rate: "public" };
const refusals = {
  304: { description: "Not modified: If-None-Match matches" },
  ...PUBLIC_ERRORS,
  401: LOCKED,
  404: PUBLIC_ERRORS[400],
};
const OPEN = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag" };

const FEEDS = [
  { file: "feed.atom", type: "application/atom+xml", summary: "Incidents and maintenance as Atom", render: renderAtom },
  { file: "feed.rss", type: "application/rss+xml", summary: "Incidents and maintenance as RSS", render: renderRss },
  {
    file: "feed.json",
    type: "application/feed+json",
    summary: "Incidents and maintenance as JSON Feed",
    render: renderJsonFeed,
  },
  { file: "maintenance.ics", type: "text/calendar", summary: "Maintenance as a calendar", render: renderCalendar },
];

const feeds: Endpoint[] = FEEDS.map(({ file, type, summary, render }) =>
  endpoint(
    policy,
    {
      method: "get",
      path: `/status/{slug}/${file}`,
      tags,
      summary,
      request: { params: PageParams, query: PastQuery },
      responses: { 200: document("The document", type), ...refusals },
    },
    (c) =>
      answer(
        c,
        { ...c.req.valid("param"), ...c.req.valid("query") },
        { name: file, type: `${type}; charset=utf-8`, render },
      ),
  ),
);

const answers: Endpoint[] = Object.entries(STATUSPAGE_DOCUMENTS).map(([name, schema]) =>
  endpoint(
    policy,
    {
      method: "get",
      path: `/status/{slug}/api/v2/${name}.json`,
      tags,
      summary: `${name} in the shape of Statuspage's public API`,
      request: { params: PageParams, query: PastQuery },
      responses: { 200: json("What the page shows", z.object(schema.shape)), ...refusals },
    },
    (c) =>
      answer(
        c,
        { ...c.req.valid("param"), ...c.req.valid("query") },
        {
          name: `api/v2/${name}`,
          type: "application/json; charset=utf-8",
          // Names are the keys of the table that is walked here.
          render: (source) => JSON.stringify(presentStatuspage(name as StatuspageAnswer, source)),
        },
      ),
  ),
);

export const endpoints = [...feeds, ...answers];

interface Document {
  name: string;
  type: string;
  render: (source: FeedSource) => string;
}

interface Asked {
  slug: string;
  at?: number;
}

async function answer(c: Context<AppEnv>, { slug, at }: Asked, { name, type, render }: Document): Promise<Response> {
  c.header("Access-Control-Allow-Origin", "*");
  const shown = await loadPageAt(c, slug, at);
  if (!shown) throw notFound("status page");
  const { payload, viewing } = shown;
  const texts = await loadTexts(c.env, "page", payload.page.language);
  const source = { payload, texts, now: viewing.as_of, url: viewing.address.url };
  const response = await respond(c, shown, { name, type, headers: OPEN, make: () => render(source) });
  if (!response) throw notFound("status page");
  return response;
}
