import type { AuditSubject } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { once } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, gone, notFound, raced } from "../../contract/errors.ts";
import { SAVED_VIEWS_MAX, type SavedView, type SavedViewCreate } from "../../contract/saved-view.ts";
import { hasSavedViews, listSavedViews, type SavedViewRecord } from "../../data/saved-views/read.ts";
import { deleteSavedView, insertSavedView, replaceSavedView } from "../../data/saved-views/write.ts";
import { toIso } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";

/** Of the caller, by name; the frame and the list of a view ask for them once. */
export function listMyViews(ctx: RequestScope): Promise<SavedViewRecord[]> {
  const { user_id } = requireUser(ctx);
  return once(ctx, "saved views", () => listSavedViews(ctx.db, user_id, SAVED_VIEWS_MAX));
}

/** One of the same name shows something else from then on. */
export async function saveView(
  ctx: RequestScope,
  input: SavedViewCreate,
): Promise<{ view: SavedViewRecord; isNew: boolean }> {
  const { user_id } = requireUser(ctx);
  const views = await listMyViews(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) {
    const view = views.find(({ id }) => id === earlier);
    if (!view) throw gone(earlier);
    return { view, isNew: true };
  }
  const former = views.find(({ name }) => name === input.name);
  const view: SavedViewRecord = {
    id: former?.id ?? newId(ctx.now),
    user_id,
    ...input,
    created_at: former?.created_at ?? ctx.now,
    updated_at: ctx.now,
  };
  if (former) {
    await commit(ctx, [replaceSavedView(ctx.db, view)], { audit: auditOf(view, "replaced") });
    return { view, isNew: false };
  }
  const error = conflict(`an account has at most ${SAVED_VIEWS_MAX} saved views: remove one first`);
  await commit(ctx, [insertSavedView(ctx.db, view)], {
    audit: auditOf(view, "saved"),
    guards: [{ name: "stale", when: hasSavedViews(user_id, SAVED_VIEWS_MAX), error }],
    conflicts: { "saved_views.name": raced("the view was saved by another request, try again") },
  });
  return { view, isNew: true };
}

export async function removeView(ctx: RequestScope, id: string): Promise<SavedViewRecord> {
  const view = (await listMyViews(ctx)).find((each) => each.id === id);
  if (!view) throw notFound("saved view");
  await commit(ctx, [deleteSavedView(ctx.db, view)], { audit: auditOf(view, "removed") });
  return view;
}

export function addressOfView({ list, query }: Pick<SavedViewRecord, "list" | "query">): string {
  return query === "" ? `/app/${list}` : `/app/${list}?${query}`;
}

export function presentView(view: SavedViewRecord): SavedView {
  const { id, name, list, query } = view;
  const [created_at, updated_at] = [toIso(view.created_at), toIso(view.updated_at)];
  return { id, name, list, query, url: addressOfView(view), created_at, updated_at };
}

function auditOf({ id, user_id, name }: SavedViewRecord, verb: string): AuditSubject {
  return { owner_id: user_id, target_type: "saved_view", target_id: id, summary: `${verb} view "${name}"` };
}
