import { isRecent, type Journal } from "../../cli/import-journal.ts";

/** Imports of a day; this browser keeps them. */
export class Journals {
  readonly #key: string;

  constructor(user: string) {
    this.#key = `vigil-moves:${user}`;
  }

  /** Newest first. */
  list(now: number): Journal[] {
    const kept = JSON.parse(localStorage.getItem(this.#key) ?? "[]") as Journal[];
    return kept.filter((journal) => isRecent(journal, now));
  }

  put(journal: Journal): void {
    const others = this.list(journal.at).filter(({ at }) => at !== journal.at);
    localStorage.setItem(this.#key, JSON.stringify([journal, ...others]));
  }
}
