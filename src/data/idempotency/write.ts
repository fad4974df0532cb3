import { and, isNull, lt, lte } from "drizzle-orm";
import { type Db, deleteSome, type Statement } from "../db.ts";
import { type IdempotencyRecord, isRequest, type Request } from "./read.ts";
import { idempotencyKeys } from "./table.ts";

/** A key that is in use makes the batch fail on its primary key. */
export function insertIdempotencyKey(db: Db, record: IdempotencyRecord): Statement {
  return db.insert(idempotencyKeys).values(record);
}

export function storeIdempotentResponse(db: Db, request: Request, answer: unknown): Statement {
  return db.update(idempotencyKeys).set({ answer }).where(isRequest(request));
}

/** Deletes an unfinished request so that it can be repeated; one that began after that instant stays. */
export function deleteUnfinishedRequest(db: Db, request: Request, takenUpTo: number): Statement {
  return db
    .delete(idempotencyKeys)
    .where(and(isRequest(request), isNull(idempotencyKeys.answer), lte(idempotencyKeys.created_at, takenUpTo)));
}

export function deleteIdempotencyKeysBefore(db: Db, instant: number): Statement {
  return deleteSome(db, idempotencyKeys, lt(idempotencyKeys.created_at, instant));
}
