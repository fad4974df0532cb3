import { createRoute, z } from "@hono/zod-openapi";
import { CreatedWallLink, WallLink, WallLinkCreate } from "../../contract/wall-link.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentWallLink } from "./present.ts";
import { createWallLink, listMyWallLinks, revokeWallLink } from "./service.ts";

const tags = ["Account"];
const shared = { at: ["core"], auth: "user", permission: null } as const;

export const endpoints = [
  endpoint(
    { ...shared, audit: null, rate: "api", token: "account" },
    createRoute({
      method: "get",
      path: "/user/wall-links",
      tags,
      summary: "List your links of wall displays",
      responses: { 200: json("Your links, newest first", z.array(WallLink)), ...USER_ERRORS },
    }),
    async (c) => c.json((await listMyWallLinks(c.var.ctx)).map(presentWallLink), 200),
  ),

  endpoint(
    { ...shared, audit: "wall_link.created", rate: "token_creation" },
    createRoute({
      method: "post",
      path: "/user/wall-links",
      tags,
      summary: "Create a link of a wall display",
      description:
        "Who has the address sees, without signing in, how everything stands that you see, and can do nothing with it.",
      request: { body: jsonBody(WallLinkCreate) },
      responses: { 201: json("The link", CreatedWallLink), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { link, url } = await createWallLink(c.var.ctx, c.req.valid("json"));
      return c.json({ ...presentWallLink(link), url }, 201);
    },
  ),

  endpoint(
    { ...shared, audit: "wall_link.deleted", rate: "api" },
    createRoute({
      method: "delete",
      path: "/user/wall-links/{id}",
      tags,
      summary: "Revoke a link of a wall display",
      description: "A screen that shows it says so within a minute.",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await revokeWallLink(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];
