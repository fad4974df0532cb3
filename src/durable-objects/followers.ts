import {
  type AccountNews,
  FOLLOWER_REPLACED,
  FOLLOWERS_MAX,
  FOLLOWERS_MAX_OF_USER,
  FOLLOWERS_NEWS,
  Follower,
} from "../contract/page-object.ts";
import { openDb } from "../data/db.ts";
import { findFollowers } from "../data/members/read.ts";
import { now } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { createLogger } from "../platform/logger.ts";
import { settingsOf } from "../platform/settings.ts";

/** What follows a change this closely is announced with it. */
const GATHER_MS = 100;
/** At most one word a second, however much happens. */
const TELL_EVERY_MS = 1_000;

/** The open views that follow one account. Their connections sleep with the object until something happens. */
export class Followers {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  #pages = new Set<string>();
  #toldAt = 0;
  #telling: Promise<void> | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
  }

  accept(follower: Follower): Response {
    if (this.#ctx.getWebSockets().length >= FOLLOWERS_MAX) return new Response(null, { status: 503 });
    this.#makeRoom(follower.user_id);
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, [follower.user_id]);
    server.serializeAttachment(follower);
    return new Response(null, { status: 101, webSocket: client });
  }

  #makeRoom(userId: string): void {
    const oldestFirst = this.#ctx
      .getWebSockets(userId)
      .toSorted((a, b) => followerOf(a).opened_at - followerOf(b).opened_at);
    const surplus = oldestFirst.slice(0, Math.max(0, oldestFirst.length - FOLLOWERS_MAX_OF_USER + 1));
    for (const socket of surplus) socket.close(FOLLOWER_REPLACED, "this person has newer views");
  }

  /** The caller does not wait until it is announced. */
  tell({ owner_id, page_ids }: AccountNews): void {
    if (this.#ctx.getWebSockets().length === 0) return;
    for (const id of page_ids) this.#pages.add(id);
    this.#telling ??= this.#send(owner_id);
    this.#ctx.waitUntil(this.#telling);
  }

  async #send(ownerId: string): Promise<void> {
    await scheduler.wait(Math.max(GATHER_MS, this.#toldAt + TELL_EVERY_MS - now()));
    const page_ids = [...this.#pages];
    // A change from here on is announced by the next message.
    this.#pages = new Set();
    this.#telling = null;
    this.#toldAt = now();
    const followers = this.#ctx.getWebSockets().map((socket) => ({ socket, id: followerOf(socket).session_id }));
    const sessions = [...new Set(followers.map(({ id }) => id))];
    try {
      const entitled = await findFollowers(openDb(this.#env.DB), { owner_id: ownerId, page_ids }, sessions);
      for (const { socket, id } of followers) {
        if (!entitled.has(id)) socket.close(1008, "connect again");
        else if (entitled.get(id)) socket.send(FOLLOWERS_NEWS);
      }
    } catch (error) {
      createLogger(settingsOf(this.#env), { job: "followers" }).error("account: followers unknown", error);
      // They ask once they find themselves cut off, so that none misses what happened.
      for (const { socket } of followers) socket.close(1011, "connect again");
    }
  }
}

function followerOf(socket: WebSocket): Follower {
  return Follower.parse(socket.deserializeAttachment());
}
