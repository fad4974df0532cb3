import { z } from "zod";
import { notFound } from "../../contract/errors.ts";
import { SavedView } from "../../contract/saved-view.ts";
import { addressOfView, listMyViews } from "../../features/saved-views/service.ts";
import { requireApi } from "../call-api.ts";
import { action, redirectWithNotice } from "../view.ts";
import { words } from "../words.ts";

const API = "/api/core/v1/user/views";
const params = z.object({ id: z.uuid() });

export const endpoints = [
  action({ path: "/app/views", summary: "Save a list with its filter and order" }, async (c, entered) => {
    const text = words("dashboard-frame").saved_views;
    const [name, list, query] = ["name", "list", "query"].map((each) => entered.get(each) ?? "");
    const saved = SavedView.parse(await requireApi(c, { method: "POST", path: API, body: { name, list, query } }));
    return redirectWithNotice(saved.url, text.saved({ name: saved.name }));
  }),

  action({ path: "/app/views/{id}/remove", summary: "Remove a saved view", params }, async (c, _entered, { id }) => {
    const text = words("dashboard-frame").saved_views;
    const view = (await listMyViews(c.var.ctx)).find((each) => each.id === id);
    if (!view) throw notFound("saved view");
    const { name, list, query } = view;
    await requireApi(c, { method: "DELETE", path: `${API}/${id}` });
    const undo = `/app/views?${new URLSearchParams({ name, list, query })}`;
    return redirectWithNotice(addressOfView(view), text.removed({ name }), undo);
  }),
];
