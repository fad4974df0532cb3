import { z } from "zod";
import { findVisiblePage, once } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { ApiError, conflict, invalid, notFound } from "../../contract/errors.ts";
import { findIdByExternalKey, type KeyedTable } from "../../data/external-keys/read.ts";

/**
 * Objects addressed by the key that configuration as code gave them. A key is unique per owner and kind; the owner is
 * that of the page which the request names, else the caller.
 */
export interface KeyedResource {
  table: KeyedTable;
  /** Completes "… not found" and "another …". */
  noun: string;
  /** The object when the caller has the endpoint's permission on it. */
  require(ctx: RequestScope, id: string): Promise<{ id: string; status_page_id?: string | null }>;
  /** The object stays on the page that it was created on. */
  isBoundToPage?: boolean;
}

interface KeyName {
  external_key: string;
  status_page_id?: string | null;
}

/** The key, the page and nothing else of a body that has not passed its schema yet. */
const Named = z
  .object({ status_page_id: z.guid().nullish().catch(undefined), external_key: z.unknown().optional() })
  .catch({});

/** The id under this key, or undefined; access to the page was checked before. */
export async function findByKey(
  ctx: RequestScope,
  { table }: KeyedResource,
  { external_key, status_page_id }: KeyName,
): Promise<string | undefined> {
  const page = status_page_id ? await findVisiblePage(ctx, status_page_id) : undefined;
  const owner_id = page?.page.owner_id ?? requireUser(ctx).user_id;
  return once(ctx, nameInScope(table, external_key), () =>
    findIdByExternalKey(ctx.db, table, { owner_id, external_key }),
  );
}

const nameInScope = (table: KeyedTable, key: string) => `key ${table} ${key}`;

export async function requireByKey(ctx: RequestScope, resource: KeyedResource, name: KeyName): Promise<string> {
  const id = await findByKey(ctx, resource, name);
  if (id === undefined) throw notFound(resource.noun);
  await resource.require(ctx, id);
  return id;
}

/** Like findByKey for a write with this body: what the caller cannot see takes the key all the same. */
export async function findForWrite(
  ctx: RequestScope,
  resource: KeyedResource,
  { external_key, body }: { external_key: string; body: unknown },
): Promise<string | undefined> {
  const named = Named.parse(body);
  if (typeof named.external_key === "string" && named.external_key.trim() !== external_key) {
    throw invalid("external_key must be the key in the path");
  }
  const id = await findByKey(ctx, resource, { external_key, status_page_id: named.status_page_id });
  if (id === undefined) return undefined;
  const found = await requireVisible(ctx, resource, id);
  if (resource.isBoundToPage && named.status_page_id && found.status_page_id !== named.status_page_id) {
    throw invalid(`status_page_id must be the page of the ${resource.noun}, which cannot move`);
  }
  return id;
}

async function requireVisible(ctx: RequestScope, { require, noun }: KeyedResource, id: string) {
  try {
    return await require(ctx, id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw conflict(`external_key is taken by another ${noun}`);
  }
}

interface Save<View> {
  external_key: string;
  body: unknown;
  create(): Promise<View>;
  change(id: string): Promise<View>;
}

/** Changes what is under the key, or creates it. Of two creations at once the second one becomes a change. */
export async function saveByKey<View>(
  ctx: RequestScope,
  resource: KeyedResource,
  { create, change, ...named }: Save<View>,
): Promise<{ view: View; isNew: boolean }> {
  const id = await findForWrite(ctx, resource, named);
  if (id !== undefined) return { view: await change(id), isNew: false };
  try {
    return { view: await create(), isNew: true };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    ctx.loaded.delete(nameInScope(resource.table, named.external_key));
    const raced = await findForWrite(ctx, resource, named);
    if (raced === undefined) throw error;
    return { view: await change(raced), isNew: false };
  }
}
