import { requireApi } from "../call-api.ts";
import { action, redirectWithNotice } from "../view.ts";
import { words } from "../words.ts";

export const endpoints = [
  action({ path: "/app/demonstration/remove", summary: "Remove the demonstration, for operators" }, async (c) => {
    const text = words("dashboard-frame").demonstration;
    await requireApi(c, { method: "DELETE", path: "/api/core/v1/demonstration" });
    return redirectWithNotice("/app", text.gone);
  }),
];
