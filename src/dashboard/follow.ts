import { requireVisiblePage, viewerOf } from "../access/pages.ts";
import { requireUser } from "../access/principal.ts";
import type { RequestScope } from "../access/scope.ts";
import { requireSameOrigin } from "../access/sessions.ts";
import { invalid, unavailable } from "../contract/errors.ts";
import { listFollowablePages } from "../data/members/read.ts";
import type { AppContext } from "../http/endpoint.ts";
import { connectFollower } from "../platform/page-objects.ts";

interface Following {
  /** Whose views are counted together, and by which credential they are seen. */
  user_id: string;
  session_id: string;
  /** Of another account, which then is the one that is followed. */
  page: string | undefined;
}

/** Connects an open view with what happens in the account of the reader, or of this page. */
export async function followAccount(c: AppContext, ctx: RequestScope, following: Following): Promise<Response> {
  const { page, user_id, session_id } = following;
  requireSameOrigin(c.req.raw, c.var.publicUrl);
  const owner_id = page === undefined ? requireUser(ctx).user_id : (await requireVisiblePage(ctx, page)).page.owner_id;
  if (c.req.header("upgrade")?.toLowerCase() !== "websocket") throw invalid("upgrade must be websocket");
  const follower = { kind: "follower", user_id, session_id, opened_at: ctx.now } as const;
  const { webSocket } = await connectFollower(c.env, { owner_id, follower }, c.req.raw);
  if (!webSocket) throw unavailable("this account has as many open views as it may have");
  return new Response(null, { status: 101, webSocket });
}

/** Each is a connection of the open view; who is a member of more accounts has it ask every few seconds. */
const FOLLOWED_MAX = 5;

/** Where changes of all that the reader sees are announced, below `path`; empty where no addresses announce them all. */
export async function followedAddresses(ctx: RequestScope, path: string): Promise<string> {
  const { user_id, is_member } = await viewerOf(ctx);
  const pages = is_member ? await listFollowablePages(ctx.db, user_id, FOLLOWED_MAX + 1) : [];
  if (pages.length > FOLLOWED_MAX) return "";
  return [path, ...pages.map((id) => `${path}?page=${id}`)].join(" ");
}
