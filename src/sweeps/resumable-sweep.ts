import type { Deps } from "../access/scope.ts";
import { runBatch } from "../data/db.ts";
import { findRound } from "../data/sweep-cursors/read.ts";
import { moveRound } from "../data/sweep-cursors/write.ts";

/**
 * Goes through everything of one kind, in the order of ids, a part of it every minute, and rests when it is through. It
 * finds by itself what is to be done, so nothing has to announce it and nothing that was missed stays undone.
 */
export interface Round {
  name: string;
  /** From the beginning of one round to that of the next, at least. */
  every_ms: number;
  /** Does the part after that id and gives the last id that it is through with; null = there is nothing left behind it. */
  visit(after: string): Promise<string | null>;
}

export async function goOn(deps: Deps, { name, every_ms, visit }: Round): Promise<void> {
  const round = await findRound(deps.db, name);
  const isNew = round.position === "";
  if (isNew && round.due_at > deps.now()) return;
  const visited = await visit(round.position);
  // Whoever is not through with even the first goes on at once.
  const due_at = visited === "" ? 0 : isNew ? deps.now() + every_ms : round.due_at;
  const position = visited ?? "";
  const isMoved = position !== round.position || due_at !== round.due_at;
  if (isMoved) await runBatch(deps.db, [moveRound(deps.db, { name, position, due_at })]);
}
