import { requireVisiblePage } from "../access/pages.ts";
import { requireUser } from "../access/principal.ts";
import { findUser } from "../data/users/read.ts";
import { listMembers } from "../features/members/service.ts";
import type { AppContext } from "../http/endpoint.ts";
import type { Option } from "./form-fields.ts";

const MEMBERS_MAX = 500;

interface Person {
  user_id: string;
  name: string | null;
  email: string;
}

/** Whom a page belongs to; members see this person by name wherever they see each other. */
export async function findOwner(c: AppContext, pageId: string): Promise<Person | undefined> {
  const { page } = await requireVisiblePage(c.var.ctx, pageId);
  const owner = await findUser(c.var.ctx.db, page.owner_id);
  return owner && { user_id: owner.id, name: owner.name, email: owner.email };
}

/** The owner of a page, its members, and the caller, as choices. */
export async function listPeople(c: AppContext, pageId: string): Promise<Option[]> {
  const [owner, { rows: members }] = await Promise.all([
    findOwner(c, pageId),
    listMembers(c.var.ctx, pageId, { limit: MEMBERS_MAX, offset: 0 }),
  ]);
  const { user_id, name, email } = requireUser(c.var.ctx);
  const people = new Map<string, string>([[user_id, name || email]]);
  for (const each of [...(owner ? [owner] : []), ...members]) {
    if (each.user_id !== null && !people.has(each.user_id)) people.set(each.user_id, each.name || each.email);
  }
  return [...people].map(([value, label]) => ({ value, label }));
}
