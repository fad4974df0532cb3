import type { z } from "zod";
import type { Agent } from "../../contract/agent.ts";
import { StatusWord } from "../components/status-word.tsx";
import { words } from "../words.ts";

export function Presence({ agent: { status } }: { agent: Pick<z.output<typeof Agent>, "status"> }) {
  const text = words("dashboard-monitors").presence;
  return (
    <StatusWord
      status={status === "online" ? "up" : "unknown"}
      text={status === "online" ? text.online : text.offline}
    />
  );
}
