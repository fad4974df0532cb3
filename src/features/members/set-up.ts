import type { RequestScope } from "../../access/scope.ts";
import type { Notice } from "../../contract/notices.ts";
import type { Statement } from "../../data/db.ts";
import { insertMail } from "../../data/mail/write.ts";
import { insertNotification } from "../../data/notifications/write.ts";
import { listSetUpOf, type SetUp, type SetUpOf } from "../../data/set-ups/read.ts";
import { adoptSetUpOf, endAgentsOf, endSetUpOf } from "../../data/set-ups/write.ts";
import { findUser } from "../../data/users/read.ts";
import { wakeMail } from "../../delivery/mail.ts";
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
  /** For the answer of the request that ends the membership. */
  notices: Notice[];
  /** Belongs in its batch, before the membership ends. */
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

export async function planEnd(ctx: RequestScope, page: Page, person: Person): Promise<SetUpChange> {
  const of = { user_id: person.user_id, status_page_id: page.id };
  return withStatements(endSetUpOf(ctx.db, of, ctx.now), await announceEnd(ctx, page, person));
}

/** For a member who stays, but may not read secrets any more. */
export async function planAgentsEnd(ctx: RequestScope, page: Page, person: Person): Promise<SetUpChange> {
  const of = { user_id: person.user_id, status_page_id: page.id };
  return withStatements([endAgentsOf(ctx.db, of, ctx.now)], await announceEnd(ctx, page, person, ["agents"]));
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
  const of = { user_id, status_page_id: page.id };
  const setUp = await listSetUpOf(ctx.db, of);
  const notices = entriesOf(setUp).map(({ kind, name }) => {
    return { path: PATHS[kind], message: `${name} goes on, and counts as set up by you` };
  });
  return { notices, publication: { ...NOTHING, statements: adoptSetUpOf(ctx.db, of, { user_id: by, now: ctx.now }) } };
}

function entriesOf(setUp: SetUp, kinds = KINDS): { kind: Kind; name: string }[] {
  return kinds.flatMap((kind) => setUp[kind].map(({ name }) => ({ kind, name: oneLine(name) })));
}

/** What ends, for the answer and the owner; where the statements that end it stand elsewhere in the batch. */
export async function announceEnd(
  ctx: RequestScope,
  page: Page,
  person: Person,
  kinds: readonly Kind[] = KINDS,
): Promise<SetUpChange> {
  const setUp = await listSetUpOf(ctx.db, { user_id: person.user_id, status_page_id: page.id });
  const notices = entriesOf(setUp, kinds).map(({ kind, name }) => {
    return { path: PATHS[kind], message: ENDINGS[kind](name) };
  });
  if (notices.length === 0) return { notices, publication: NOTHING };
  const told = await tellOwner(ctx, page, { person, notices });
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

async function tellOwner(
  ctx: RequestScope,
  page: Page,
  { person, notices }: { person: Person; notices: readonly Notice[] },
): Promise<Publication> {
  const owner = await findUser(ctx.db, page.owner_id);
  if (!owner) return NOTHING;
  const lines = notices.map(({ message }) => `- ${message}`).join("\n");
  const intro = `${person.label} can no longer manage the status page "${oneLine(page.name)}". This became of what they set up:`;
  const mail = await sealMail(ctx, {
    to: owner.email,
    subject: "What a member set up is switched off",
    text: ["Hello,", "", intro, "", lines, "", `${ctx.publicUrl}/app/alerts?page=${page.id}`].join("\n"),
    action: "Open the channels",
  });
  return {
    statements: [
      insertNotification(ctx.db, {
        id: newId(ctx.now),
        user_id: owner.id,
        type: "member.set_up_ended",
        title: `What ${person.label} set up is switched off`,
        message: `${intro}\n${lines}`,
        status_page_id: page.id,
        target_id: page.id,
        read_at: null,
        created_at: ctx.now,
        updated_at: ctx.now,
      }),
      insertMail(ctx.db, mail),
    ],
    wake: () => wakeMail(ctx, [mail.id]),
  };
}
