import type { Api } from "../../cli/api.ts";
import { CommandFailure } from "../../cli/failure.ts";

/** What imports made, by its addresses, for a day; this browser keeps it, so that an import that broke off can be undone. */

const DAY_MS = 86_400_000;

export interface Journal {
  tool: string;
  at: number;
  /** `path` of the collection, in the order of making. */
  made: { path: string; id: string }[];
}

export class Journals {
  readonly #key: string;

  constructor(user: string) {
    this.#key = `vigil-moves:${user}`;
  }

  /** Newest first. */
  list(now: number): Journal[] {
    const kept = JSON.parse(localStorage.getItem(this.#key) ?? "[]") as Journal[];
    return kept.filter(({ at, made }) => made.length > 0 && now - at < DAY_MS);
  }

  put(journal: Journal): void {
    const others = this.list(journal.at).filter(({ at }) => at !== journal.at);
    localStorage.setItem(this.#key, JSON.stringify([journal, ...others]));
  }

  /** Takes back the newest first, so that nothing is asked to go that others need; what is gone already is undone. */
  async undo(api: Api, journal: Journal, report: (left: number) => void): Promise<string[]> {
    const refused: string[] = [];
    const remaining = [...journal.made];
    for (const { path, id } of [...journal.made].reverse()) {
      try {
        await api.call("DELETE", `${path}/${id}`);
      } catch (error) {
        if (!(error instanceof CommandFailure)) throw error;
        if (!/: 404 /.test(error.message)) refused.push(error.message);
      }
      remaining.pop();
      this.put({ ...journal, made: remaining });
      report(remaining.length);
    }
    return refused;
  }
}
