import { DurableObject } from "cloudflare:workers";
import {
  type AccountNews,
  type AccountRpc,
  Follower,
  LIVE_READERS_MAX,
  type PageNews,
  PageReader,
  type PageRpc,
  READER_HEADER,
  type WantedPage,
} from "../contract/page-object.ts";
import type { PagePayload } from "../contract/public-page.ts";
import { openDb } from "../data/db.ts";
import { findCredentialsOfTeam } from "../data/members/read.ts";
import { findVersionOfPage } from "../data/public-page/read.ts";
import { now } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { createLogger } from "../platform/logger.ts";
import { storePage } from "../platform/page-store.ts";
import { lockOf } from "../platform/page-unlock.ts";
import { settingsOf } from "../platform/settings.ts";
import { meterBindings, reportUsageWhenDue } from "../platform/usage.ts";
import { buildPayload } from "../status-page/payload.ts";
import { Followers } from "./followers.ts";

/** Changes that follow each other this closely are announced, and fetched by open pages, once. */
const ANNOUNCE_AFTER_MS = 100;

/** Kept as text, because that is what crosses to a reader fastest. */
interface BuiltPage {
  version: number;
  valid_until: number;
  text: string;
}

function isCurrent(built: BuiltPage, { version, now }: WantedPage): boolean {
  return built.version >= version && now < built.valid_until;
}

/**
 * What the readers of one public page share: a payload that is built once after a change, and the connections of open
 * pages, which sleep with the object until the page changes. It stores nothing; D1 is the truth, KV serves the others.
 * Under the name of an account it holds the views of the dashboard that follow this account.
 */
export class PageObject extends DurableObject<Env> implements PageRpc, AccountRpc {
  readonly #followers: Followers;
  #built: BuiltPage | null = null;
  #building: Promise<BuiltPage | null> | null = null;
  #announcing: Promise<void> | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, meterBindings(env));
    this.#followers = new Followers(ctx, this.env);
    // Answered by the runtime, so that a page finds out that its connection is dead without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  async load(wanted: WantedPage): Promise<string | null> {
    if (this.#built && isCurrent(this.#built, wanted)) return this.#built.text;
    // One that is under way may have begun before the change that this reader has seen.
    const shared = await this.#building;
    const built = shared && isCurrent(shared, wanted) ? shared : await (this.#building ?? this.#build(wanted));
    return built?.text ?? null;
  }

  #build(wanted: WantedPage): Promise<BuiltPage | null> {
    const building = this.#read(wanted).finally(() => {
      this.#building = null;
    });
    this.#building = building;
    return building;
  }

  async #read({ page_id, lock, now }: WantedPage): Promise<BuiltPage | null> {
    reportUsageWhenDue(this.env);
    const payload = await buildPayload(openDb(this.env.DB), page_id, now);
    if (!payload) return null;
    const { version, valid_until } = payload;
    this.#built = { version, valid_until, text: JSON.stringify(payload) };
    this.ctx.waitUntil(this.#store(payload, lock, now));
    return this.#built;
  }

  async #store(payload: PagePayload, lock: string | null, now: number): Promise<void> {
    try {
      await storePage(this.env, { payload, confirmed_at: now, lock });
    } catch (error) {
      createLogger(settingsOf(this.env), { job: "page object" }).error("page: KV unavailable", error);
    }
  }

  async announce(pageId: string): Promise<void> {
    if (this.ctx.getWebSockets().length === 0) return;
    this.#announcing ??= this.#send(pageId);
    await this.#announcing;
  }

  async #send(pageId: string): Promise<void> {
    await scheduler.wait(ANNOUNCE_AFTER_MS);
    // What is committed from here on is announced by the next call.
    this.#announcing = null;
    const page = await findVersionOfPage(openDb(this.env.DB), pageId);
    if (!page) {
      for (const socket of this.ctx.getWebSockets()) socket.close(1001, "the page was deleted");
      return;
    }
    const { version, is_public, password_hash } = page;
    const news = JSON.stringify({ version } satisfies PageNews);
    const lock = password_hash === null ? null : lockOf(settingsOf(this.env).ROOT_SECRET, password_hash);
    const readers = this.ctx.getWebSockets().map((socket) => ({ socket, reader: readerOf(socket) }));
    const team = await this.#findTeam(
      pageId,
      readers.map(({ reader }) => reader),
    );
    for (const { socket, reader } of readers) {
      const mayRead =
        reader.kind === "public"
          ? is_public && reader.lock === lock
          : reader.credential_id !== undefined && team.has(reader.credential_id);
      // Members who may still see the page connect again.
      if (mayRead) socket.send(news);
      else socket.close(1008, "connect again");
    }
  }

  /** The credentials of those of these readers who are on the page's team now. */
  async #findTeam(pageId: string, readers: readonly PageReader[]): Promise<ReadonlySet<string>> {
    const named = readers.flatMap((reader) =>
      reader.kind === "member" && reader.user_id !== undefined && reader.credential_id !== undefined
        ? [{ user_id: reader.user_id, credential_id: reader.credential_id }]
        : [],
    );
    if (named.length === 0) return new Set();
    const distinct = [...new Map(named.map((each) => [each.credential_id, each])).values()];
    return findCredentialsOfTeam(openDb(this.env.DB), pageId, { readers: distinct, now: now() });
  }

  async tell(news: AccountNews): Promise<void> {
    this.#followers.tell(news);
  }

  /** Accepts the connection of an open page, or of a view that follows the account. */
  override async fetch(request: Request): Promise<Response> {
    const follower = Follower.safeParse(JSON.parse(request.headers.get(READER_HEADER) ?? "null"));
    if (follower.success) return this.#followers.accept(follower.data);
    if (this.ctx.getWebSockets().length >= LIVE_READERS_MAX) return new Response(null, { status: 503 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    server.serializeAttachment(request.headers.get(READER_HEADER));
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Open pages only listen. */
  override async webSocketMessage(socket: WebSocket): Promise<void> {
    socket.close(1008, "nothing is accepted here");
  }
}

/** A connection from before readers were named is anybody's. */
function readerOf(socket: WebSocket): PageReader {
  const attachment: unknown = socket.deserializeAttachment();
  return typeof attachment === "string" ? PageReader.parse(JSON.parse(attachment)) : { kind: "public", lock: null };
}
