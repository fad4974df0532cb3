import { and, eq, lt } from "drizzle-orm";
import { type Db, deleteSome, type Statement } from "../db.ts";
import type { MembershipsOf } from "../members/read.ts";
import { isAmong } from "../outbox/rows.ts";
import type { AgentKey, AgentRecord, InstallTokenRecord } from "./read.ts";
import { agents, installTokens } from "./table.ts";

export function insertAgent(db: Db, agent: AgentRecord): Statement {
  return db.insert(agents).values(agent);
}
export type AgentChanges = Partial<Omit<AgentRecord, "id" | "owner_id" | "created_by" | "created_at">>;

export function updateAgent(db: Db, agent: AgentKey, changes: AgentChanges): Statement {
  return db.update(agents).set(changes).where(isThis(agent));
}

export function deleteAgent(db: Db, agent: AgentKey): Statement {
  return db.delete(agents).where(isThis(agent));
}

function isThis(agent: AgentKey) {
  return and(eq(agents.id, agent.id), eq(agents.owner_id, agent.owner_id));
}

/** From the first use of the next credential on, the one before it is worth nothing. */
export function activateNextToken(db: Db, tokenHash: string): Statement {
  return db
    .update(agents)
    .set({ token_hash: tokenHash, next_token_hash: null })
    .where(eq(agents.next_token_hash, tokenHash));
}

export function insertInstallToken(db: Db, token: InstallTokenRecord): Statement {
  return db.insert(installTokens).values(token);
}

export function consumeInstallToken(db: Db, tokenId: string): Statement {
  return db.delete(installTokens).where(eq(installTokens.id, tokenId));
}

/** The install tokens that a user created for agents of a page. */
export function deleteInstallTokensBy(db: Db, by: MembershipsOf): Statement {
  return db
    .delete(installTokens)
    .where(and(isAmong(installTokens.status_page_id, by.page_ids), eq(installTokens.created_by, by.user_id)));
}

export function deleteExpiredInstallTokens(db: Db, now: number): Statement {
  return deleteSome(db, installTokens, lt(installTokens.expires_at, now));
}
