import type { Scope } from "../access/scope.ts";
import type { KnownEvent } from "../contract/events.ts";
import type { EventMessage } from "../contract/messages.ts";
import { findStatusPost, listChannelsOfPages, listStatusPostsToWake, loadPageStatus } from "../data/chat-links/read.ts";
import { claimStatusPost, settleStatusPost, upsertStatusPost } from "../data/chat-links/write.ts";
import { runBatch } from "../data/db.ts";
import { detailIncidents } from "../data/incidents/list.ts";
import { formatIncidentText, formatStatusText } from "../domain/status-posts.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { buildStatusPost, readPostAnswer, type StatusPost } from "../notifiers/status-posts.ts";
import { NOTHING, type Publication, sweepPages, wake } from "../outbox/publication.ts";
import { idFrom } from "../platform/ids.ts";
import { chatServicesOf } from "./prepare.ts";
import { send, type TimedReply } from "./sender.ts";

/**
 * Messages of the bots in linked channels: one for the summary of the page, one for each published incident, edited in
 * place. A row names what a message shows, and the attempt reads what is true by then, so that changes in between are one
 * edit.
 */
type PublishScope = Pick<Scope, "env" | "db" | "log">;

const CHANGES = /^(?:incident\.|maintenance\.|monitor\.(?:up|down|degraded)$)/;
const LEASE_MS = 30 * SECOND_MS;
const RETRIES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS];
const UPDATES_SHOWN = 5;
const WITHDRAWN = { text: "This incident is no longer published.", link: null };

/**
 * Makes the channels of these events' pages show what changed. An incident that waits for others, with which one may list it,
 * has no message of its own yet.
 */
export async function publishStatusPosts(
  scope: PublishScope,
  events: readonly KnownEvent[],
  { now, waiting = new Set() }: { now: number; waiting?: ReadonlySet<string> },
): Promise<Publication> {
  const changes = events.filter(({ name, status_page_id }) => status_page_id !== null && CHANGES.test(name));
  const pageIds = new Set(changes.map(({ status_page_id }) => status_page_id ?? ""));
  const channels = await listChannelsOfPages(scope.db, [...pageIds]);
  const posts = new Map(
    channels.flatMap(({ id, status_page_id }) => {
      const ofPage = changes.filter((event) => event.status_page_id === status_page_id && !waiting.has(event.id));
      const incidentIds = ofPage.flatMap((event) =>
        "title" in event.data && "severity" in event.data ? [event.data.incident_id] : [],
      );
      return [null, ...incidentIds].map((incident_id) => {
        const postId = idFrom("status post", id, incident_id ?? "");
        return [postId, { id: postId, status_channel_id: id, incident_id }] as const;
      });
    }),
  );
  if (posts.size === 0) return NOTHING;
  return {
    statements: [...posts.values()].map((post) => upsertStatusPost(scope.db, post, now)),
    wake: () => wakeStatusPosts(scope, [...posts.keys()]),
  };
}

/** The summary message of a channel that was linked. */
export function summaryOf(scope: PublishScope & Pick<Scope, "now">, channelId: string): Publication {
  const id = idFrom("status post", channelId, "");
  const post = { id, status_channel_id: channelId, incident_id: null };
  return { statements: [upsertStatusPost(scope.db, post, scope.now)], wake: () => wakeStatusPosts(scope, [id]) };
}

/** Every minute: wakes what no message woke, and what failed before. */
export async function sweepStatusPosts(scope: Scope): Promise<void> {
  await sweepPages(async (limit) => {
    const ids = await listStatusPostsToWake(scope.db, scope.now, limit);
    await wakeStatusPosts(scope, ids);
    return ids.length;
  });
}

function wakeStatusPosts(scope: PublishScope, ids: readonly string[]): Promise<void> {
  const messages = ids.map((status_post_id): EventMessage => ({ kind: "status_post", status_post_id }));
  return wake(scope, { queue: scope.env.EVENTS, messages, what: "status post" });
}

/** Sends or edits one message, if it is due and nobody else does. */
export async function sendStatusPost(scope: Scope, id: string): Promise<void> {
  const { db, now } = scope;
  const claimed = await claimStatusPost(db, id, { now, lease_until: now + LEASE_MS });
  const found = claimed && (await findStatusPost(db, id));
  if (!claimed || !found) return;
  const content = await contentOf(scope, found);
  const { service, channel_id } = found.channel;
  const nonce = id.replaceAll("-", "");
  const { message_id } = claimed;
  if (content === null && message_id === null) {
    await runBatch(db, [settleStatusPost(db, claimed, { message_id: null, error: null, retry_at: null, now })]);
    return;
  }
  const outcome = await attempt(scope, { ...(content ?? WITHDRAWN), service, channel_id, message_id, nonce });
  const delay = RETRIES_MS[claimed.failures];
  const retry_at = outcome.may_retry && delay !== undefined ? now + delay : null;
  await runBatch(db, [
    settleStatusPost(db, claimed, { message_id: outcome.message_id, error: outcome.error, retry_at, now }),
  ]);
  // What changed while it was sent is not shown yet.
  if (outcome.error === null) await wakeStatusPosts(scope, [id]);
}

type Found = NonNullable<Awaited<ReturnType<typeof findStatusPost>>>;

/** Null for an incident that is not published. */
async function contentOf({ db, settings }: Scope, { page, incident, incident_id }: Found) {
  const base = settings.PUBLIC_URL === "" ? null : `${settings.PUBLIC_URL}/status/${page.slug}`;
  if (incident_id === null) {
    return { text: formatStatusText(page.name, await loadPageStatus(db, page.id)), link: base };
  }
  if (!incident?.is_public || incident.bundle_id !== null) return null;
  const [detail] = await detailIncidents(db, [incident], UPDATES_SHOWN);
  const updates = detail?.updates ?? [];
  return { text: formatIncidentText({ ...incident, updates }), link: base && `${base}/incidents/${incident.id}` };
}

interface Attempt {
  message_id: string | null;
  error: string | null;
  may_retry: boolean;
}

async function attempt(scope: Scope, post: StatusPost): Promise<Attempt> {
  const { message_id } = post;
  const reply = await send(scope.settings, buildStatusPost(post, chatServicesOf(scope.settings)));
  if (reply.kind !== "answered") {
    const isFinal = reply.kind === "unanswered" && reply.is_final;
    return { message_id, error: reply.kind === "unanswered" ? reply.error : "no answer", may_retry: !isFinal };
  }
  const result = readPostAnswer(post, reply.status, reply.excerpt);
  if (result.kind === "done") return { message_id: result.message_id, error: null, may_retry: false };
  if (result.kind === "missing") return attempt(scope, { ...post, message_id: null });
  return { message_id, error: `HTTP ${reply.status}`, may_retry: isTemporary(reply) };
}

function isTemporary(reply: Extract<TimedReply, { kind: "answered" }>): boolean {
  return reply.status === 429 || reply.status === 408 || reply.status >= 500;
}
