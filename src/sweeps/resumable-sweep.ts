import type { Scope } from "../access/scope.ts";
import { runBatch } from "../data/db.ts";
import { findSweepCursor } from "../data/sweep-cursors/read.ts";
import { saveSweepCursor } from "../data/sweep-cursors/write.ts";

/**
 * Goes through everything of one kind, in the order of ids, a part of it every minute, and rests when it is through. It
 * finds by itself what is to be done, so nothing has to announce it and nothing that was missed stays undone.
 */
export interface ResumableSweep {
  name: string;
  /** From the beginning of one round to that of the next, at least. */
  every_ms: number;
  /** Does the part after that id and gives the last id that it is through with; null = there is nothing left behind it. */
  visit(after: string): Promise<string | null>;
}

export async function advanceSweep(scope: Scope, { name, every_ms, visit }: ResumableSweep): Promise<void> {
  const round = await findSweepCursor(scope.db, name);
  const isNew = round.position === "";
  if (isNew && round.due_at > scope.now) return;
  const visited = await visit(round.position);
  // A sweep that has not finished its first pass continues at once.
  const due_at = visited === "" ? 0 : isNew ? scope.now + every_ms : round.due_at;
  const position = visited ?? "";
  const isMoved = position !== round.position || due_at !== round.due_at;
  if (isMoved) await runBatch(scope.db, [saveSweepCursor(scope.db, { name, position, due_at })]);
}
