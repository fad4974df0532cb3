import type { Api } from "./api.ts";
import { CommandFailure } from "./failure.ts";

/** What an import made, by its addresses, so that it can be undone within a day, also where it broke off. */

const DAY_MS = 86_400_000;

export interface Journal {
  tool: string;
  at: number;
  /** `path` of the collection, in the order of making. */
  made: { path: string; id: string }[];
}

export function isRecent({ at, made }: Journal, now: number): boolean {
  return made.length > 0 && now - at < DAY_MS;
}

/**
 * Takes back the newest first, so that nothing is asked to go that others need; what is gone already is undone. `keep` gets
 * what is left after each step. The answer is what the service refused.
 */
export async function undoImport(api: Api, journal: Journal, keep: (left: Journal) => void): Promise<string[]> {
  const refused: string[] = [];
  const remaining = [...journal.made];
  for (const { path, id } of [...journal.made].reverse()) {
    try {
      await api.call("DELETE", `${placeOf(path)}/${id}`);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      if (!/: 404 /.test(error.message)) refused.push(error.message);
    }
    remaining.pop();
    keep({ ...journal, made: remaining });
  }
  return refused;
}

/** Whom an import invites is no member yet. */
function placeOf(path: string): string {
  return path.endsWith("/members") ? `${path}/invitations` : path;
}
