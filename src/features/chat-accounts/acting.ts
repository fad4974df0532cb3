import { toPrincipal } from "../../access/owners.ts";
import type { RequestScope } from "../../access/scope.ts";
import { findUserOfPerson } from "../../data/chat-accounts/read.ts";
import { findPageFor } from "../../data/members/read.ts";
import { findUser } from "../../data/users/read.ts";
import { hasPermission, type Membership, type Permission } from "../../domain/roles.ts";
import { type ChatIdentity, chatAccountCode } from "../../platform/chat-account-codes.ts";

/** The request as that of the account for which somebody in a chat acts; null where they act for none. */
export async function actAs(ctx: RequestScope, person: ChatIdentity): Promise<RequestScope | null> {
  const user = await findUserOfPerson(ctx.db, person);
  if (!user || user.deactivated_at !== null || user.deleted_at !== null) return null;
  const principal = toPrincipal(user, { token_id: null, session_id: null }, ctx.settings);
  return { ...ctx, principal, permission: "incidents.write", loaded: new Map() };
}

/** Where somebody whom no account is known for says who they are. */
export function linkAddress({ settings, publicUrl, now }: RequestScope, person: ChatIdentity): string {
  return `${publicUrl}/app/account/chats?code=${chatAccountCode(settings.ROOT_SECRET, person, now)}`;
}

export const NOT_ALLOWED = "You may not acknowledge alerts of this page.";

/** By the rights that the person has now, as if they had signed in. */
export async function mayOn(
  ctx: RequestScope,
  { page_id, user_id }: { page_id: string; user_id: string },
  permission: Permission = "incidents.write",
): Promise<boolean> {
  const [visited, user] = await Promise.all([findPageFor(ctx.db, page_id, user_id), findUser(ctx.db, user_id)]);
  if (!visited || !user || user.deactivated_at !== null) return false;
  const member: Membership | null = visited.member;
  return visited.page.owner_id === user_id || (member !== null && hasPermission(member, permission));
}
