import { createRoute } from "@hono/zod-openapi";
import { UserPreferences, UserPreferencesChange } from "../../contract/team-notification.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, json, jsonBody, USER_ERRORS } from "../../http/responses.ts";
import { changeMyPreferences, readMyPreferences } from "./service.ts";

const tags = ["Account"];
const shared = { at: ["core"], auth: "user", permission: null, rate: "api" } as const;

export const endpoints = [
  endpoint(
    { ...shared, audit: null, token: "account" },
    createRoute({
      method: "get",
      path: "/user/preferences",
      tags,
      summary: "Get which team notifications reach you",
      description:
        "A page decides by notify_team what it notifies its team of; everyone may turn topics off for themselves.",
      responses: { 200: json("Your preferences", UserPreferences), ...USER_ERRORS },
    }),
    async (c) => c.json(await readMyPreferences(c.var.ctx), 200),
  ),

  endpoint(
    { ...shared, audit: "user.preferences_updated" },
    createRoute({
      method: "put",
      path: "/user/preferences",
      tags,
      summary: "Choose which team notifications reach you",
      description: "Omitted members keep their value; null restores the default.",
      request: { body: jsonBody(UserPreferencesChange) },
      responses: { 200: json("Your preferences", UserPreferences), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(await changeMyPreferences(c.var.ctx, c.req.valid("json")), 200),
  ),
];
