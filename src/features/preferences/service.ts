import { commit } from "../../access/commit.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { raced } from "../../contract/errors.ts";
import type { UserPreferences, UserPreferencesChange } from "../../contract/team-notification.ts";
import { findUser, isUserChanged, type UserRecord } from "../../data/users/read.ts";
import { setPreferences } from "../../data/users/write.ts";
import { fillPreferences, mergePreferences } from "../../domain/team-notifications.ts";
import { stampAfter } from "../../lib/merge-field.ts";
import { parsePreferenceToken } from "../../platform/preference-tokens.ts";

const RACED = raced("the preferences were changed by another request, reload them and try again");

export async function readMyPreferences(ctx: RequestScope): Promise<UserPreferences> {
  return fillPreferences((await findMe(ctx)).preferences);
}

/** Omitted members keep their value; null restores the default. */
export async function changeMyPreferences(ctx: RequestScope, input: UserPreferencesChange): Promise<UserPreferences> {
  return changePreferences(ctx, await findMe(ctx), input);
}

async function findMe(ctx: RequestScope): Promise<UserRecord> {
  const user = await findUser(ctx.db, requireUser(ctx).user_id);
  if (!user) throw new Error("the account of an accepted credential is gone");
  return user;
}

/** The user that a preference link of a mail belongs to; undefined for every other text, and once the account is deleted. */
export async function findLinkedUser(ctx: RequestScope, token: string): Promise<UserRecord | undefined> {
  const id = parsePreferenceToken(ctx.settings.ROOT_SECRET, token);
  const user = id === null ? undefined : await findUser(ctx.db, id);
  return user?.deleted_at === null ? user : undefined;
}

/** The caller is the user, or holds a link of a mail to them. */
export async function changePreferences(
  ctx: RequestScope,
  user: UserRecord,
  input: UserPreferencesChange,
): Promise<UserPreferences> {
  const preferences = mergePreferences(user.preferences, input, ctx.now);
  const { on_since: _on_since, ...chosen } = preferences;
  const updated_at = stampAfter(user, ctx.now);
  await commit(ctx, [setPreferences(ctx.db, user.id, { preferences, updated_at })], {
    guards: [{ name: "stale", when: isUserChanged(user), error: RACED }],
    audit: {
      owner_id: user.id,
      target_type: "user",
      target_id: user.id,
      summary: "changed what notifications they receive",
      data: chosen,
    },
  });
  return fillPreferences(preferences);
}
