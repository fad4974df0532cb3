import { recordAgentCall } from "../../checks/agent-presence.ts";

/**
 * Of every call of an enrolled agent. Choice: what an agent measures (metrics, log events, results of checks) leaves no
 * audit row of its own. It comes every few seconds, is kept where it can be read as what it is, and would bury what people
 * look for; what results lead to, incidents, is audited. That it enrolled, whose credential changed, what it says of its
 * host and program, what it found for the first time and what came of a command are audited.
 */
export const agentCalls = {
  at: ["v1"],
  auth: "agent",
  permission: null,
  audit: null,
  rate: "agent",
  onAuthenticated: recordAgentCall,
} as const;
