import { z } from "zod";
import { requirePage } from "../access/pages.ts";
import { unauthenticated } from "../contract/errors.ts";
import { readForm } from "../http/body.ts";
import { type AppContext, type EndpointPolicy, type ErrorPage, endpoint } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { englishTexts, loadTexts } from "../language/texts.ts";
import { answerText } from "./messages.ts";
import { buildBlankPayload, buildPayload } from "./payload.ts";
import { previewPolicy } from "./policy.ts";
import { LOOK_DEFAULT, type PageLook, readLook } from "./preview.ts";
import type { ThemeChoice } from "./theme.ts";
import { buildPageView } from "./view-model.ts";
import { renderMessagePage, renderStatusPage } from "./views/pages.tsx";

/** A public page as it would look with the fields of its editor, which shows it in a frame. Nothing is stored. */
const NOWHERE = { base: "#", home: "#", url: "#" };

/** The frame of the editor has no room for a sign-in form or a page of errors. */
const onRefusal: ErrorPage = (_c, refusal) => {
  const text = refusal ? `${refusal.message.charAt(0).toUpperCase()}${refusal.message.slice(1)}.` : "Try again later.";
  return answer(renderMessagePage(englishTexts("page"), { title: "No preview", text }), {
    status: refusal?.status ?? 500,
    choice: null,
  });
};

const policy = {
  at: ["root"],
  auth: "optional",
  audit: null,
  rate: "api",
  refusalPage: onRefusal,
  onAuthenticated: async ({ principal }) => {
    if (principal.kind !== "user") throw unauthenticated();
  },
} satisfies Partial<EndpointPolicy>;
const ofPage = { permission: "page.write", ids: { params: { id: "page" } } } as const;
const route = {
  tags: ["Dashboard"],
  responses: { 200: html("The page"), 400: html("Invalid"), 413: html("Too large"), 415: html("Not a form") },
};
const request = { params: z.object({ id: z.uuid() }) };
const description =
  "For the frame of the page's editor. Fields that are not valid keep what is stored; nothing is saved.";

export const endpoints = [
  ...(["get", "post"] as const).map((method) =>
    endpoint(
      { ...policy, permission: null },
      { ...route, method, path: "/app/pages/new/preview", summary: `Preview of a new page (${method})`, description },
      async (c) => {
        const look = await lookOf(c, method, LOOK_DEFAULT);
        return preview(c, buildBlankPayload(look, c.var.now), look);
      },
    ),
  ),
  ...(["get", "post"] as const).map((method) =>
    endpoint(
      { ...policy, ...ofPage },
      {
        ...route,
        method,
        path: "/app/pages/{id}/preview",
        summary: `Preview of a page (${method})`,
        description,
        request,
      },
      async (c) => {
        const { ctx } = c.var;
        const { id } = c.req.valid("param");
        const look = await lookOf(c, method, await requirePage(ctx, id));
        const payload = await buildPayload(ctx.db, id, ctx.now, look);
        if (!payload) throw new Error("a page that was just there is gone");
        return preview(c, payload, look);
      },
    ),
  ),
];

async function lookOf(c: AppContext, method: "get" | "post", stored: PageLook): Promise<PageLook> {
  return method === "get" ? stored : readLook(await readForm(c.req.raw), stored);
}

async function preview(c: AppContext, payload: Parameters<typeof buildPageView>[0], look: PageLook): Promise<Response> {
  const texts = await loadTexts(c.env, "page", look.language);
  const viewing = { as_of: c.var.now, is_stale: false, late: null, address: NOWHERE, texts };
  return answer(renderStatusPage(buildPageView(payload, { ...viewing, is_preview: true })), {
    status: 200,
    choice: look,
  });
}

function answer(body: string, { status, choice }: { status: number; choice: ThemeChoice | null }): Response {
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": previewPolicy(choice),
    "X-Frame-Options": "SAMEORIGIN",
  };
  return answerText(body, headers, status);
}
