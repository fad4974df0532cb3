import { z } from "zod";
import type { AgentAssignment } from "../contract/agent.ts";
import { readJsonFile, writePrivateFile } from "./files.ts";
import { parseAssignments, type Uplink } from "./uplink.ts";

const Stored = z.object({ assignments: z.array(z.unknown()) });

/** The monitors of this agent. A copy on disk lets an agent that starts without its service go on checking. */
export class Assignments {
  readonly #path: string;
  readonly #uplink: Uplink;
  #etag: string | null = null;

  constructor(path: string, uplink: Uplink) {
    this.#path = path;
    this.#uplink = uplink;
  }

  readStored(): AgentAssignment[] {
    const stored = Stored.safeParse(readJsonFile(this.#path));
    return parseAssignments(stored.success ? stored.data.assignments : []);
  }

  /** Null when nothing changed. Throws an UplinkError. */
  async refresh(): Promise<AgentAssignment[] | null> {
    const answer = await this.#uplink.assignments(this.#etag);
    if (!answer) return null;
    writePrivateFile(this.#path, JSON.stringify({ assignments: answer.assignments }));
    this.#etag = answer.etag;
    return answer.assignments;
  }
}
