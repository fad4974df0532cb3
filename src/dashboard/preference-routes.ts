import { z } from "zod";
import { TEAM_TOPICS, type TeamTopicsChange, type UserPreferencesChange } from "../contract/team-notification.ts";
import { fillPreferences } from "../domain/team-notifications.ts";
import { changePreferences, findLinkedUser } from "../features/preferences/service.ts";
import { readForm } from "../http/body.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { keptOf, mergeEntered } from "./merge.ts";
import { ERROR_RESPONSES, page, renderErrorPage } from "./responses.ts";
import { renderMessage } from "./views/frame.tsx";
import { preferenceFields, preferenceValues, renderPreferences } from "./views/preferences.tsx";
import { words } from "./words.ts";

/** The link in a mail to a team. It works without signing in; mail programs post to it on one click (RFC 8058). */
const tags = ["Dashboard"];
const policy = {
  at: ["root"],
  auth: "public",
  permission: null,
  rate: "click",
  refusalPage: renderErrorPage,
} satisfies Partial<EndpointPolicy>;
const request = { params: z.object({ token: z.string() }) };
const responses = { 200: html("The settings"), 410: html("The link is invalid"), ...ERROR_RESPONSES };
const path = "/preferences/{token}";

export const endpoints = [
  endpoint(
    { ...policy, audit: null },
    {
      method: "get",
      path,
      tags,
      summary: "Notification settings of a mailed link",
      description: "Shows a form and changes nothing, because mail programs open links by themselves.",
      request,
      responses,
    },
    (c) => answer(c, false),
  ),

  endpoint(
    { ...policy, audit: "user.preferences_updated" },
    {
      method: "post",
      path,
      tags,
      summary: "Change notification settings by a mailed link",
      description: "application/x-www-form-urlencoded. Without the field `save` all mail of the team stops (RFC 8058).",
      request,
      responses,
    },
    (c) => answer(c, true),
  ),
];

async function answer(c: AppContext, isChange: boolean): Promise<Response> {
  const { ctx } = c.var;
  const token = c.req.param("token") ?? "";
  const user = await findLinkedUser(ctx, token);
  const text = words("dashboard-frame").preferences;
  if (!user) return page(renderMessage({ title: text.invalid, text: text.invalid_hint }), 410);
  const stored = fillPreferences(user.preferences);
  const href = `/preferences/${encodeURIComponent(token)}`;
  if (!isChange) return page(renderPreferences({ email: user.email, preferences: stored, href }));
  const form = await readForm(c.req.raw);
  // Two ticks cannot contradict each other: who leaves one as it was keeps what became of it meanwhile.
  const merge = mergeEntered(preferenceFields(), form, preferenceValues(stored));
  const preferences = await changePreferences(ctx, user, toChange(merge.entered));
  const saved = text.saved({ kept: form.has("save") ? keptOf(merge) : "" });
  return page(renderPreferences({ email: user.email, preferences, saved, href }));
}

function toChange(form: URLSearchParams): UserPreferencesChange {
  if (!form.has("save")) return { mail: false };
  const notify_team: TeamTopicsChange = {};
  for (const topic of TEAM_TOPICS) notify_team[topic] = form.has(topic);
  return { mail: form.has("mail"), in_app: form.has("in_app"), push: form.has("push"), notify_team };
}
