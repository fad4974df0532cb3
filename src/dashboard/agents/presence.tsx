import type { z } from "zod";
import type { Agent } from "../../contract/agent.ts";
import { StatusWord } from "../components/status-word.tsx";

export function Presence({ agent: { status } }: { agent: Pick<z.output<typeof Agent>, "status"> }) {
  return (
    <StatusWord status={status === "online" ? "up" : "unknown"} text={status === "online" ? "Online" : "Offline"} />
  );
}
