import type { Db, Statement } from "../db.ts";
import { isThisView, type SavedViewRecord } from "./read.ts";
import { savedViews } from "./table.ts";

export function insertSavedView(db: Db, view: SavedViewRecord): Statement {
  return db.insert(savedViews).values(view);
}

export function replaceSavedView(db: Db, { id, user_id, list, query, updated_at }: SavedViewRecord): Statement {
  return db.update(savedViews).set({ list, query, updated_at }).where(isThisView({ id, user_id }));
}

export function deleteSavedView(db: Db, view: Pick<SavedViewRecord, "id" | "user_id">): Statement {
  return db.delete(savedViews).where(isThisView(view));
}
