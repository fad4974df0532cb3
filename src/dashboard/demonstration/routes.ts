import { requireApi } from "../call-api.ts";
import { action, redirectWithNotice } from "../view.ts";

export const endpoints = [
  action({ path: "/app/demonstration/remove", summary: "Remove the demonstration, for operators" }, async (c) => {
    await requireApi(c, { method: "DELETE", path: "/api/core/v1/demonstration" });
    return redirectWithNotice("/app", "The demonstration is gone");
  }),
];
