import type { RequestScope } from "../../access/scope.ts";
import type { Statement } from "../../data/db.ts";
import { insertMails } from "../../data/mail/write.ts";
import { insertNotifications } from "../../data/notifications/write.ts";
import { listSetUpOf, type SetUp, type SetUpOf } from "../../data/set-ups/read.ts";
import { adoptSetUpOf, endAgentsOf, endSetUpOf } from "../../data/set-ups/write.ts";
import { listUsers, type UserRecord } from "../../data/users/read.ts";
import { wakeMail } from "../../delivery/mail.ts";
import { type PlacedNotice, withPage } from "../../domain/placed-notice.ts";
import { oneLine } from "../../lib/one-line.ts";
import { sealMail } from "../../outbox/mail.ts";
import { NOTHING, type Publication } from "../../outbox/publication.ts";
import { wakeAgents } from "../../platform/agent-objects.ts";
import { newId } from "../../platform/ids.ts";

/**
 * What a member set up for a page: channels of alerts, linked chats, and agents, whose credential reads the secrets of what
 * they check.
 * Choice: it ends with the membership, because nobody can tell from here whether a channel leads to the team or to the
 * person alone; and never in silence: the answer and a mail to the owner name all of it. The person who removes a
 * member may keep it instead, and answers for it from then on.
 */
export interface SetUpChange {
  /** For the answer of the request that ends the memberships. */
  notices: PlacedNotice[];
  /** Belongs in its batch, before the memberships end. */
  publication: Publication;
}

interface Page {
  id: string;
  name: string;
  owner_id: string;
}

interface Person {
  user_id: string;
  /** As the mail to the owner of the page names it. */
  label: string;
}

type Kind = keyof SetUp;
const KINDS: readonly Kind[] = ["webhooks", "channels", "agents"];
/** What to do about each, where it ends. */
const ENDINGS: Record<Kind, (name: string) => string> = {
  webhooks: (name) => `webhook "${name}" is switched off: switch it on if it leads to the team`,
  channels: (name) => `${name} is unlinked: link it again if it is the team's`,
  agents: (name) => `agent "${name}" is cut off, and what it checks becomes unknown: enrol it again`,
};
const PATHS: Record<Kind, string> = { webhooks: "webhooks", channels: "status_channels", agents: "agents" };

export function listSetUp(ctx: RequestScope, of: SetUpOf): Promise<SetUp> {
  return listSetUpOf(ctx.db, of);
}

export async function planEnd(ctx: RequestScope, pages: readonly Page[], person: Person): Promise<SetUpChange> {
  const of = { user_id: person.user_id, page_ids: pages.map(({ id }) => id) };
  return withStatements(endSetUpOf(ctx.db, of, ctx.now), await announceEnd(ctx, pages, person));
}

/** For a member who stays, but may not read secrets any more. */
export async function planAgentsEnd(ctx: RequestScope, page: Page, person: Person): Promise<SetUpChange> {
  const of = { user_id: person.user_id, page_ids: [page.id] };
  return withStatements([endAgentsOf(ctx.db, of, ctx.now)], await announceEnd(ctx, [page], person, ["agents"]));
}

function withStatements(statements: Statement[], { notices, publication }: SetUpChange): SetUpChange {
  return { notices, publication: { ...publication, statements: [...statements, ...publication.statements] } };
}

/** The person who removes the member keeps all of it, as if they had set it up. */
export async function planAdoption(
  ctx: RequestScope,
  page: Page,
  { user_id, by }: { user_id: string; by: string },
): Promise<SetUpChange> {
  const of = { user_id, page_ids: [page.id] };
  const entries = entriesOf(await listSetUpOf(ctx.db, of), [page]);
  const notices = entries.map(({ kind, name }) => {
    return { page, path: PATHS[kind], message: `${name} goes on, and counts as set up by you` };
  });
  return { notices, publication: { ...NOTHING, statements: adoptSetUpOf(ctx.db, of, { user_id: by, now: ctx.now }) } };
}

/** Of each page. An agent that checks what is on several of them is named once. */
function entriesOf(setUp: SetUp, pages: readonly Page[], kinds = KINDS): { page: Page; kind: Kind; name: string }[] {
  return kinds.flatMap((kind) =>
    setUp[kind].flatMap(({ name, status_page_id, owner_id }) => {
      const page = pages.find((each) =>
        status_page_id === null ? each.owner_id === owner_id : each.id === status_page_id,
      );
      return page ? [{ page, kind, name: oneLine(name) }] : [];
    }),
  );
}

/**
 * What ends, for the answer and the owners; where the statements that end it stand elsewhere in the batch. The number of
 * queries does not depend on the number of pages.
 */
export async function announceEnd(
  ctx: RequestScope,
  pages: readonly Page[],
  person: Person,
  kinds: readonly Kind[] = KINDS,
): Promise<SetUpChange> {
  const setUp = await listSetUpOf(ctx.db, { user_id: person.user_id, page_ids: pages.map(({ id }) => id) });
  const notices = entriesOf(setUp, pages, kinds).map(({ page, kind, name }) => {
    return { page, path: PATHS[kind], message: ENDINGS[kind](name) };
  });
  if (notices.length === 0) return { notices, publication: NOTHING };
  const told = await tellOwners(ctx, pages, { person, notices });
  const wake = async () => {
    // Ends the connections of agents that are open.
    wakeAgents(
      ctx.env,
      setUp.agents.map(({ id }) => id),
    );
    await told.wake();
  };
  return { notices, publication: { statements: told.statements, wake } };
}

interface Ended {
  person: Person;
  notices: readonly PlacedNotice[];
}

/** One mail for each owner. */
async function tellOwners(ctx: RequestScope, pages: readonly Page[], { person, notices }: Ended): Promise<Publication> {
  const ownerOf = new Map(pages.map(({ id, owner_id }) => [id, owner_id]));
  const byOwner = Map.groupBy(notices, ({ page }) => ownerOf.get(page.id) ?? "");
  const owners = await listUsers(ctx.db, [...byOwner.keys()]);
  const letters = await Promise.all(
    owners.map((owner) => letterTo(ctx, owner, { person, notices: byOwner.get(owner.id) ?? [] })),
  );
  const mails = letters.map(({ mail }) => mail);
  return {
    statements: [
      insertNotifications(
        ctx.db,
        letters.map(({ notification }) => notification),
      ),
      insertMails(ctx.db, mails),
    ],
    wake: () =>
      wakeMail(
        ctx,
        mails.map(({ id }) => id),
      ),
  };
}

async function letterTo(ctx: RequestScope, owner: UserRecord, { person, notices }: Ended) {
  const places = new Map(notices.map(({ page }) => [page.id, page]));
  const [page] = places.values();
  const isOne = places.size === 1;
  const lines = notices.map((notice) => `- ${(isOne ? notice : withPage(notice)).message}`).join("\n");
  const where = isOne && page ? `the status page "${oneLine(page.name)}"` : `${places.size} of your status pages`;
  const intro = `${person.label} can no longer manage ${where}. This became of what they set up:`;
  const mail = await sealMail(ctx, {
    to: owner.email,
    subject: "What a member set up is switched off",
    text: ["Hello,", "", intro, "", lines, "", `${ctx.publicUrl}/app/alerts?page=${page?.id}`].join("\n"),
    action: "Open the channels",
  });
  const page_id = isOne && page ? page.id : null;
  const notification = {
    id: newId(ctx.now),
    user_id: owner.id,
    type: "member.set_up_ended" as const,
    title: `What ${person.label} set up is switched off`,
    message: `${intro}\n${lines}`,
    status_page_id: page_id,
    target_id: page_id,
    read_at: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  return { mail, notification };
}
