import { commit } from "../../access/commit.ts";
import { requireOperator } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { notFound } from "../../contract/errors.ts";
import { listAgentIdsOf } from "../../data/agents/read.ts";
import { listOpenedMembers, listPagesOf } from "../../data/deleted-accounts/read.ts";
import { endAccount } from "../../data/deleted-accounts/write.ts";
import { findUserByEmail, type UserRecord } from "../../data/users/read.ts";
import { wakeAgents } from "../../platform/agent-objects.ts";
import { dropStoredPage } from "../../platform/page-store.ts";
import { removePortion } from "../account/purge.ts";

const PAGES_MAX = 100;
const AGENTS_MAX = 100;
const PEOPLE_MAX = 100;
/** Each removes fifty monitors; the sweep removes what more there is. */
const PORTIONS = 4;

/** The account that owns the demonstration; undefined where there is none, which costs a query only where one was made. */
export async function findDemonstration({ db, settings }: Pick<RequestScope, "db" | "settings">) {
  const { DEMONSTRATION: email } = settings;
  return email === "" ? undefined : findUserByEmail(db, email);
}

/** Ends the account that owns it and those of its people, as if they had deleted themselves. */
export async function removeDemonstration(ctx: RequestScope): Promise<void> {
  const operator = requireOperator(ctx);
  const owner = await findDemonstration(ctx);
  if (!owner) throw notFound("demonstration");
  const people = await listOpenedMembers(ctx.db, owner.id, PEOPLE_MAX);
  const pages = await listPagesOf(ctx.db, owner.id, PAGES_MAX);
  const agents = await listAgentIdsOf(ctx.db, owner.id, AGENTS_MAX);
  const end = (user: UserRecord, page_ids: string[]) => endAccount(ctx.db, { user, page_ids, now: ctx.now });
  const statements = [
    ...end(
      owner,
      pages.map(({ id }) => id),
    ),
    ...people.flatMap((person) => end(person, [])),
  ];
  await commit(ctx, statements, {
    audit: {
      owner_id: operator.user_id,
      target_type: "user",
      target_id: owner.id,
      summary: "the demonstration was removed",
    },
  });
  wakeAgents(ctx.env, agents);
  await Promise.all(pages.map(({ slug }) => dropStoredPage(ctx.env, slug)));
  for (let portion = 0; portion < PORTIONS; portion++) await removePortion(ctx, owner.id);
  for (const { id } of people) await removePortion(ctx, id);
}
