import { notFound } from "../../contract/errors.ts";
import { isLoopbackUrl } from "../../lib/loopback.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { ComponentStates } from "./component-states.tsx";

export const endpoints = [
  view(
    {
      path: "/app/components",
      summary: "Components of the dashboard in all their states, on a loopback address alone",
    },
    (c) => {
      if (!isLoopbackUrl(c.var.publicUrl)) throw notFound("view");
      return showView(c, { title: "Components", section: "account", children: <ComponentStates now={c.var.now} /> });
    },
  ),
];
