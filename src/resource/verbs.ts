import type { Guard } from "../access/audited-write.ts";
import { commit } from "../access/commit.ts";
import { findIdempotentResult } from "../access/idempotency.ts";
import { requirePage, requireVisiblePage, viewerOf } from "../access/pages.ts";
import { requireUser } from "../access/principal.ts";
import type { RequestScope } from "../access/scope.ts";
import { conflict, notFound } from "../contract/errors.ts";
import type { Bodies, Fields } from "../contract/fields.ts";
import type { Pagination } from "../contract/pagination.ts";
import type { Statement } from "../data/db.ts";
import { deleteRow, insertRow, listRows, type PageTable, type Row, type RowScope, updateRow } from "../data/rows.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { changedMembers } from "../lib/merge-field.ts";
import { newId } from "../platform/ids.ts";
import { columnsOfChange, columnsOfCreation, present } from "./columns.ts";

/** What every object of a page has besides its fields. */
export interface PageObject {
  id: string;
  owner_id: string;
  created_by: string;
  status_page_id: string;
  name: string;
  created_at: number;
  updated_at: number;
}

type ObjectTable = PageTable & { $inferSelect: PageObject };

/** A kind of object that belongs to a status page, said once; schemas, verbs and endpoints derive from it. */
export interface Resource<All extends Fields, Table extends ObjectTable> {
  /** Its name in sentences. */
  noun: string;
  /** Begins the names of its audit events, and is the type of their target. */
  audited_as: string;
  /** Each is a column of the table, or names one. */
  fields: All & { [Name in keyof All]: Name extends keyof Row<Table> ? unknown : { column: keyof Row<Table> } };
  table: Table;
  sorted_by: keyof Row<Table> & string;
  /** Readers of the page see it. */
  is_public: boolean;
  /** The object when the caller has the endpoint's permission on it. */
  require(ctx: RequestScope, id: string): Promise<Row<Table>>;
}

/** Has the compiler infer the types of a definition. */
export const resource = <const All extends Fields, Table extends ObjectTable>(definition: Resource<All, Table>) =>
  definition;

/** What a resource has beyond its fields. */
interface Rules {
  /** Columns of a new object that nobody gives. */
  initial?: (ctx: RequestScope, pageId: string) => Promise<Record<string, unknown>>;
  guardCreation?: (ctx: RequestScope, object: PageObject) => Promise<Guard[]>;
  guardRemoval?: (ctx: RequestScope, object: PageObject) => Promise<Guard[]>;
}

export interface Verbs<Stored extends PageObject, Creation, Change, Shown> {
  /** Those of one page that the caller sees, or of all of them. */
  list(ctx: RequestScope, pageId: string | undefined, page: Pagination): Promise<{ rows: Stored[]; total: number }>;
  create(ctx: RequestScope, pageId: string, input: Creation): Promise<Stored>;
  change(ctx: RequestScope, id: string, input: Change): Promise<Stored>;
  remove(ctx: RequestScope, id: string): Promise<void>;
  /** For addresses that also name the page. */
  requireOn(ctx: RequestScope, pageId: string, id: string): Promise<void>;
  present(row: Stored): Shown;
}

export function verbsOf<All extends Fields, Table extends ObjectTable>(
  resource: Resource<All, Table>,
  { initial, guardCreation, guardRemoval }: Rules = {},
): Verbs<Row<Table>, Bodies<All>["Creation"], Bodies<All>["Change"], Bodies<All>["Shown"]> {
  const { noun, audited_as, fields, table } = resource;

  const write = (
    ctx: RequestScope,
    object: PageObject,
    done: { verb: string; statement: Statement; guards?: Guard[] },
  ) =>
    commit(
      ctx,
      [done.statement, ...(resource.is_public ? [bumpPageVersion(ctx.db, object.status_page_id, ctx.now)] : [])],
      {
        guards: done.guards,
        conflicts: { external_key: conflict(`external_key is taken by another ${noun}`) },
        audit: {
          owner_id: object.owner_id,
          target_type: audited_as,
          target_id: object.id,
          status_page_id: object.status_page_id,
          summary: `${done.verb} ${noun} "${object.name}"`,
        },
      },
    );

  return {
    async list(ctx, pageId, page) {
      return listRows(ctx.db, resource, { scope: await scopeOf(ctx, pageId), page });
    },

    async create(ctx, pageId, input) {
      const earlier = await findIdempotentResult(ctx);
      if (earlier) return resource.require(ctx, earlier);
      const page = await requirePage(ctx, pageId);
      const object = {
        ...columnsOfCreation(fields, input),
        ...(await initial?.(ctx, page.id)),
        id: newId(ctx.now),
        owner_id: page.owner_id,
        created_by: requireUser(ctx).user_id,
        status_page_id: page.id,
        created_at: ctx.now,
        updated_at: ctx.now,
      } as Row<Table>;
      const guards = await guardCreation?.(ctx, object);
      await write(ctx, object, { verb: "created", statement: insertRow(ctx.db, table, object), guards });
      return object;
    },

    async change(ctx, id, input) {
      const current = await resource.require(ctx, id);
      const object: Row<Table> = { ...current, ...columnsOfChange(fields, input, current), updated_at: ctx.now };
      const change = { ...changedMembers(current, object), updated_at: ctx.now };
      await write(ctx, object, { verb: "changed", statement: updateRow(ctx.db, table, id, change) });
      return object;
    },

    async remove(ctx, id) {
      const object = await resource.require(ctx, id);
      const guards = await guardRemoval?.(ctx, object);
      await write(ctx, object, { verb: "deleted", statement: deleteRow(ctx.db, table, id), guards });
    },

    async requireOn(ctx, pageId, id) {
      if ((await resource.require(ctx, id)).status_page_id !== pageId) throw notFound(noun);
    },

    present: (row) => present(fields, row),
  };
}

async function scopeOf(ctx: RequestScope, pageId: string | undefined): Promise<RowScope> {
  if (pageId === undefined) return { kind: "viewer", viewer: await viewerOf(ctx) };
  return { kind: "page", id: (await requireVisiblePage(ctx, pageId)).page.id };
}
