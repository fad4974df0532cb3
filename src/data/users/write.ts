import { and, eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { ApiTokenRecord, UserRecord } from "./read.ts";
import { apiTokens, users } from "./table.ts";

export function insertUser(db: Db, user: UserRecord): Statement {
  return db.insert(users).values(user);
}

export function insertToken(db: Db, token: ApiTokenRecord): Statement {
  return db.insert(apiTokens).values(token);
}

export function deleteToken(db: Db, userId: string, tokenId: string): Statement {
  return db.delete(apiTokens).where(and(eq(apiTokens.id, tokenId), eq(apiTokens.user_id, userId)));
}
