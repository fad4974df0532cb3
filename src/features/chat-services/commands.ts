import { commit } from "../../access/commit.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { ChatService } from "../../contract/chat-link.ts";
import { conflict } from "../../contract/errors.ts";
import {
  findLinkToken,
  listOpenEscalations,
  listPagesOfChannel,
  listUnansweredIncidents,
  loadPageStatus,
} from "../../data/chat-links/read.ts";
import {
  deleteChatRequest,
  deleteLinkToken,
  insertStatusChannel,
  isTokenUsed,
  recordChatRequest,
} from "../../data/chat-links/write.ts";
import { findEscalation } from "../../data/escalations/read.ts";
import { findPageFor, findPagesFor } from "../../data/members/read.ts";
import { summaryOf } from "../../delivery/status-posts.ts";
import { hasPermission, type Membership } from "../../domain/roles.ts";
import { formatStatusText } from "../../domain/status-posts.ts";
import { parseAcknowledgeButton } from "../../platform/acknowledge-tokens.ts";
import type { ChatIdentity } from "../../platform/chat-account-codes.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { idFrom } from "../../platform/ids.ts";
import { actAs, mayOn, NOT_ALLOWED } from "../chat-accounts/acting.ts";
import { CHAT_SERVICE_NAMES } from "../chat-accounts/service.ts";
import { acknowledgeAlone, acknowledgeFrom, hasEnded } from "../escalations/service.ts";

/** A command that somebody in a channel gave the bot. */
export interface ChatCommand {
  service: ChatService;
  channel: { id: string; name: string | null };
  name: string;
  argument: string;
  /** Who gave it; null where the service does not say. */
  person: ChatIdentity | null;
  sayHowToLink: SayHowToLink;
  /** Whether the chat service says that this person manages the channel. */
  isManager(): Promise<boolean>;
}

const NOT_MANAGER = "Only people who manage this channel can do that.";
const NOT_LINKED = "No status page is linked to this channel.";
const HELP = "Commands: link <token>, status, ack.";
const UNKNOWN = "The chat does not say who you are, so that nobody can act for you here.";

/** Carries a command out; the reply is plain text. */
export async function runCommand(ctx: RequestScope, command: ChatCommand): Promise<string> {
  if (command.name === "status") return describeStatus(ctx, command);
  if (command.name === "ack") return acknowledgeAll(ctx, command);
  if (command.name !== "link") return HELP;
  return (await command.isManager()) ? link(ctx, command) : NOT_MANAGER;
}

/** Where somebody can say who they are: only they may read it. */
export type SayHowToLink = (person: ChatIdentity) => string;

/** Presses the button of an escalation message, with the rights of the account that the person linked. */
export async function pressButton(
  ctx: RequestScope,
  { data, person, sayHowToLink }: { data: string; person: ChatIdentity | null; sayHowToLink: SayHowToLink },
): Promise<string> {
  const link = parseAcknowledgeButton(ctx.settings.ROOT_SECRET, data);
  const escalation = link === null ? undefined : await findEscalation(ctx.db, link.id);
  if (!link || !escalation || hasEnded(ctx, link, escalation)) return "This button is no longer valid.";
  if (person === null) return UNKNOWN;
  const acting = await actAs(ctx, person);
  if (acting === null) return sayHowToLink(person);
  const { user_id } = requireUser(acting);
  if (!(await mayOn(ctx, { page_id: escalation.status_page_id, user_id }))) return NOT_ALLOWED;
  const count = await acknowledgeFrom(acting, escalation, { by: user_id, how: onService(person) });
  return count === 0 ? "It was acknowledged before, or is over." : "Acknowledged. Nobody else is notified.";
}

const onService = ({ service }: ChatIdentity) => ` on ${CHAT_SERVICE_NAMES[service]}`;

/** Does the work of a request once, however often it arrives; undefined for a repeat. */
export async function once<Result>(
  { db, now }: RequestScope,
  requestId: string,
  run: () => Promise<Result>,
): Promise<Result | undefined> {
  if (!(await recordChatRequest(db, requestId, now))) return undefined;
  try {
    return await run();
  } catch (error) {
    await deleteChatRequest(db, requestId);
    throw error;
  }
}

async function link(ctx: RequestScope, { service, channel, argument, person }: ChatCommand): Promise<string> {
  const token_hash = sha256Hex(argument.trim());
  const token = await findLinkToken(ctx.db, { token_hash, service, now: ctx.now });
  if (!token || !(await mayLink(ctx, token))) return "This token is invalid or has expired. Create another one.";
  const record = {
    id: idFrom("status channel", service, channel.id, token.status_page_id),
    owner_id: token.owner_id,
    status_page_id: token.status_page_id,
    service,
    channel_id: channel.id,
    name: channel.name,
    created_by: token.created_by,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const used = conflict("the token was used before");
  const summary = summaryOf(ctx, record.id);
  await commit(ctx, [insertStatusChannel(ctx.db, record), deleteLinkToken(ctx.db, token_hash), ...summary.statements], {
    guards: [{ name: "stale", when: isTokenUsed(token_hash), error: used }],
    audit: {
      owner_id: token.owner_id,
      status_page_id: token.status_page_id,
      target_type: "status_channel",
      target_id: record.id,
      summary: `linked the ${service} channel ${channel.name ?? channel.id} by ${person?.name ?? "somebody"}`,
    },
  });
  await summary.wake();
  return `This channel now shows the status page ${token.page_name}.`;
}

/** The token stands for its creator, who may have left the team since. */
async function mayLink(ctx: RequestScope, token: { status_page_id: string; owner_id: string; created_by: string }) {
  const visited = await findPageFor(ctx.db, token.status_page_id, token.created_by);
  return isTrusted({ owner_id: token.owner_id, linked_by: token.created_by, linker: visited?.member ?? null });
}

interface Linked {
  owner_id: string;
  linked_by: string;
  linker: Membership | null;
}

/**
 * A channel shows a page and acknowledges its alerts in the name of the person who linked it, as long as that person
 * may link it.
 */
function isTrusted({ owner_id, linked_by, linker }: Linked): boolean {
  return linked_by === owner_id || (linker !== null && hasPermission(linker, "alerting.write"));
}

async function listTrustedPages(ctx: RequestScope, { service, channel }: Pick<ChatCommand, "service" | "channel">) {
  const pages = await listPagesOfChannel(ctx.db, { service, channel_id: channel.id });
  return pages.filter(isTrusted);
}

async function describeStatus(ctx: RequestScope, command: ChatCommand): Promise<string> {
  const pages = await listTrustedPages(ctx, command);
  if (pages.length === 0) return NOT_LINKED;
  const texts = await Promise.all(
    pages.map(async (page) => formatStatusText(page.name, await loadPageStatus(ctx.db, page.id))),
  );
  return texts.join("\n\n");
}

async function acknowledgeAll(ctx: RequestScope, { service, channel, person, sayHowToLink }: ChatCommand) {
  const pages = await listTrustedPages(ctx, { service, channel });
  if (pages.length === 0) return NOT_LINKED;
  if (person === null) return UNKNOWN;
  const acting = await actAs(ctx, person);
  return acting === null ? sayHowToLink(person) : acknowledgeOn(acting, pages, onService(person));
}

/** Acknowledges what waits for an answer on those of these pages where the caller may. */
export async function acknowledgeOn(ctx: RequestScope, pages: readonly { id: string }[], how: string): Promise<string> {
  const { user_id: by } = requireUser(ctx);
  const allowed = await listAllowed(ctx, pages, by);
  if (allowed.length === 0) return NOT_ALLOWED;
  let [count, failed] = [0, 0];
  const each = async (acknowledge: () => Promise<number>) => {
    try {
      count += await acknowledge();
    } catch (error) {
      ctx.log.error("acknowledgement from a chat failed", error);
      failed += 1;
    }
  };
  for (const page of allowed) {
    for (const escalation of await listOpenEscalations(ctx.db, page.id)) {
      await each(() => acknowledgeFrom(ctx, escalation, { by, how }));
    }
    for (const incident of await listUnansweredIncidents(ctx.db, page.id)) {
      await each(async () => {
        await acknowledgeAlone(ctx, incident, { by, how });
        return 1;
      });
    }
  }
  return outcomeOf(count, failed);
}

function outcomeOf(count: number, failed: number): string {
  if (count + failed === 0) return "Nothing waits for an answer.";
  const done = count === 0 ? [] : [`Acknowledged ${inAlerts(count)}.`];
  if (failed === 0) return [...done, "Nobody else is notified."].join(" ");
  return [...done, `${inAlerts(failed)} could not be acknowledged. Try again, or do it in the dashboard.`].join(" ");
}

const inAlerts = (count: number) => (count === 1 ? "1 alert" : `${count} alerts`);

/** Those of these pages on which an account may write incidents. */
async function listAllowed<Page extends { id: string }>(ctx: RequestScope, pages: readonly Page[], userId: string) {
  const ids = pages.map(({ id }) => id);
  const visited = await findPagesFor(ctx.db, ids, userId);
  const allowed = new Set(
    visited.flatMap(({ page, member }) =>
      page.owner_id === userId || (member !== null && hasPermission(member, "incidents.write")) ? [page.id] : [],
    ),
  );
  return pages.filter(({ id }) => allowed.has(id));
}
