import { requireUser } from "../../access/principal.ts";
import { loadBrowserAssets } from "../browser-assets.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";

export const endpoints = [
  view({ path: "/app/move", summary: "Move from another tool" }, async (c) => {
    const { move_script } = await loadBrowserAssets(c.env);
    return showView(c, {
      title: "Move from another tool",
      section: "monitors",
      trail: [{ href: "/app/monitors", text: "Monitors" }],
      children: (
        <>
          <p class="lead">
            The file is read in this browser. Nothing is made before you have seen what comes, what changes and what
            stays behind.
          </p>
          <div data-move={requireUser(c.var.ctx).user_id}>
            <p class="quiet">Files are read by a script of this page. The command line does the same: vigil import.</p>
          </div>
          <script src={move_script} defer />
        </>
      ),
    });
  }),
];
