import { requireUser } from "../../access/principal.ts";
import { loadBrowserAssets } from "../browser-assets.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { words } from "../words.ts";

export const endpoints = [
  view({ path: "/app/move", summary: "Move from another tool" }, async (c) => {
    const text = words("dashboard-frame").move;
    const { move_script } = await loadBrowserAssets(c.env);
    return showView(c, {
      title: text.title,
      section: "monitors",
      trail: [{ href: "/app/monitors", text: text.monitors }],
      children: (
        <>
          <p class="lead">{text.read_here}</p>
          <div data-move={requireUser(c.var.ctx).user_id}>
            <p class="quiet">{text.script}</p>
          </div>
          <script src={move_script} defer />
        </>
      ),
    });
  }),
];
