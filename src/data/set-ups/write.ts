import { agents } from "../agents/table.ts";
import { statusChannels } from "../chat-links/table.ts";
import type { Db, Statement } from "../db.ts";
import { webhooks } from "../webhooks/table.ts";
import { isAgentOf, isChannelOf, isWebhookOf, type SetUpOf } from "./read.ts";

/** Belongs before the statement that ends the membership. */
export function endSetUpOf(db: Db, of: SetUpOf, now: number): Statement[] {
  const disabled_reason = "whoever set it up left the team";
  return [
    db
      .update(webhooks)
      .set({ is_active: false, disabled_reason, failing_since: null, warned_at: null, updated_at: now })
      .where(isWebhookOf(of)),
    db.delete(statusChannels).where(isChannelOf(of)),
    endAgentsOf(db, of, now),
  ];
}

/** Their credentials are worth nothing from then on; they can be enrolled again. */
export function endAgentsOf(db: Db, of: SetUpOf, now: number): Statement {
  return db.update(agents).set({ token_hash: null, next_token_hash: null, updated_at: now }).where(isAgentOf(of));
}

/** All of it goes on, set up by somebody else from now on. */
export function adoptSetUpOf(db: Db, of: SetUpOf, by: { user_id: string; now: number }): Statement[] {
  const adopted = { created_by: by.user_id, updated_at: by.now };
  return [
    db.update(webhooks).set(adopted).where(isWebhookOf(of)),
    db.update(statusChannels).set(adopted).where(isChannelOf(of)),
    db.update(agents).set({ enrolled_by: by.user_id, updated_at: by.now }).where(isAgentOf(of)),
  ];
}
