import { z } from "zod";
import { requireSameOrigin } from "../access/sessions.ts";
import { readForm } from "../http/body.ts";
import { endpoint } from "../http/endpoint.ts";
import { document } from "../http/responses.ts";
import { IMMUTABLE } from "../http/security-headers.ts";
import { findBrowserAsset, loadBrowserAssets } from "./browser-assets.ts";
import { themeCookie } from "./cookies.ts";
import { pathAfter } from "./form.ts";
import { ICON } from "./icon.ts";
import { ERROR_RESPONSES, redirectTo, renderErrorPage } from "./responses.ts";

/** What the frame of every view refers to. */
const tags = ["Dashboard"];
const policy = { at: ["root"], auth: "public", permission: null, audit: null, rate: "public" } as const;
const ASSET = { "text/css": { schema: z.string() }, "text/javascript": { schema: z.string() } };
const APP = {
  name: "Vigil",
  short_name: "Vigil",
  id: "/app",
  start_url: "/app",
  scope: "/app",
  display: "standalone",
  icons: [{ src: ICON.address, type: "image/svg+xml", sizes: "any", purpose: "any" }],
  shortcuts: [
    { name: "Incidents", url: "/app/incidents" },
    { name: "Monitors", url: "/app/monitors" },
    { name: "On-call", url: "/app/on-call" },
  ],
};

export const endpoints = [
  endpoint(
    { ...policy, refusalPage: renderErrorPage },
    {
      method: "post",
      path: "/app/theme",
      tags,
      summary: "Choose light or dark for the dashboard in this browser",
      responses: { 303: { description: "Redirect" }, ...ERROR_RESPONSES },
    },
    async (c) => {
      requireSameOrigin(c.req.raw, c.var.publicUrl);
      const form = await readForm(c.req.raw);
      const theme = form.get("theme") === "dark" ? "dark" : "light";
      return redirectTo(pathAfter(form.get("next"), c.var.publicUrl), themeCookie(theme));
    },
  ),

  endpoint(
    policy,
    {
      method: "get",
      path: "/assets/dashboard/{file}",
      tags,
      summary: "Get a script or style sheet of the dashboard",
      request: { params: z.object({ file: z.string() }) },
      responses: { 200: { description: "The asset", content: ASSET }, 404: document("No such asset", "text/plain") },
    },
    async (c) => {
      const asset = await findBrowserAsset(c.env, c.req.valid("param").file);
      if (!asset) return new Response("not found", { status: 404 });
      const headers = {
        "Content-Type": asset.headers.get("content-type") ?? "text/plain",
        "Cache-Control": IMMUTABLE,
      };
      return new Response(asset.body, { headers });
    },
  ),

  endpoint(
    policy,
    {
      method: "get",
      path: "/app/service-worker.js",
      tags,
      summary: "Get the script that keeps views for times without a network",
      responses: { 200: { description: "The script", content: ASSET }, 404: document("No such asset", "text/plain") },
    },
    async (c) => {
      const { service_worker } = await loadBrowserAssets(c.env);
      const asset = await findBrowserAsset(c.env, service_worker.split("/").at(-1) ?? "");
      if (!asset) return new Response("not found", { status: 404 });
      const headers = {
        "Content-Type": "text/javascript; charset=utf-8",
        "Cache-Control": "no-cache",
        // The overview lies beside the folder that it would be confined to.
        "Service-Worker-Allowed": "/app",
      };
      return new Response(asset.body, { headers });
    },
  ),

  endpoint(
    policy,
    {
      method: "get",
      path: "/app/manifest.webmanifest",
      tags,
      summary: "Get what makes the dashboard an app of a phone or desktop",
      responses: { 200: document("The manifest", "application/manifest+json") },
    },
    () => {
      const headers = { "Content-Type": "application/manifest+json", "Cache-Control": "max-age=3600" };
      return new Response(JSON.stringify(APP), { headers });
    },
  ),
];
