import { createRoute, z } from "@hono/zod-openapi";
import type { IdKind } from "../access/id-authorization.ts";
import type { Pagination } from "../contract/pagination.ts";
import type { Permission } from "../domain/roles.ts";
import { type AppContext, type Endpoint, type EndpointPolicy, endpoint } from "../http/endpoint.ts";
import { ListQuery, LongListQuery, setListHeaders } from "../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../http/responses.ts";
import type { PageObject, Verbs } from "./verbs.ts";

interface Described<Creation, Change, Shown> {
  noun: string;
  audited_as: string;
  at: EndpointPolicy["at"];
  tag: string;
  plural: string;
  /** With its article. */
  a_noun: string;
  /** What writing takes; reading takes membership. */
  permission: Permission;
  /** The word by which access knows its ids. */
  id_kind: IdKind;
  Create: z.ZodType<Creation>;
  Change: z.ZodType<Change>;
  Shown: z.ZodType<Shown>;
  /** Ends "The groups, …". */
  order: string;
  /** What is to say about its creation, change and deletion. */
  notes?: { creation?: string; change?: string; deletion?: string };
}

/**
 * Below `/groups`, with a creation that names its page in `status_page_id`, and a list below each page: the two lists,
 * creation, change and deletion. Its lists may grow without end, so their order is by a number.
 */
export function endpointsOf<Stored extends PageObject & { position: number }, Creation, Change, Shown>(
  verbs: Verbs<Stored, Creation & { status_page_id: string }, Change, Shown>,
  about: Described<Creation & { status_page_id: string }, Change, Shown> & { path: string },
): Endpoint[] {
  const { reads, writes, one, many, tags } = partsOf(about);
  const ids = { params: { id: about.id_kind } };
  const answerList = async (c: AppContext, pageId: string | undefined, page: Pagination) => {
    const { rows, total } = await verbs.list(c.var.ctx, pageId, page);
    setListHeaders(
      c,
      page,
      total,
      rows.map(({ position, id }) => [position, id]),
    );
    return c.json(rows.map(verbs.present), 200);
  };
  return [
    endpoint(
      { ...reads, ids: { query: { status_page_id: "page" } } },
      createRoute({
        method: "get",
        path: about.path,
        tags,
        summary: `List ${about.plural}`,
        description: "Those of all your status pages, or of one.",
        request: { query: LongListQuery.extend({ status_page_id: z.uuid().optional() }) },
        responses: { 200: many, ...USER_ERRORS },
      }),
      (c) => {
        const { status_page_id, ...page } = c.req.valid("query");
        return answerList(c, status_page_id, page);
      },
    ),

    endpoint(
      { ...reads, ids: onPage },
      createRoute({
        method: "get",
        path: `/status-pages/{id}${about.path}`,
        tags,
        summary: `List the ${about.plural} of a status page`,
        request: { params: IdParam, query: LongListQuery },
        responses: { 200: many, ...OBJECT_ERRORS },
      }),
      (c) => answerList(c, c.req.valid("param").id, c.req.valid("query")),
    ),

    endpoint(
      { ...writes, audit: `${about.audited_as}.created`, ids: { body: { status_page_id: "page" } } },
      createRoute({
        method: "post",
        path: about.path,
        tags,
        summary: `Create ${about.a_noun}`,
        description: about.notes?.creation,
        request: { body: jsonBody(about.Create) },
        responses: { 201: one, ...USER_ERRORS, ...BODY_ERRORS },
      }),
      async (c) => {
        const input = c.req.valid("json");
        return c.json(verbs.present(await verbs.create(c.var.ctx, input.status_page_id, input)), 201);
      },
    ),

    endpoint(
      { ...writes, audit: `${about.audited_as}.updated`, ids },
      createRoute({
        method: "put",
        path: `${about.path}/{id}`,
        tags,
        summary: `Update ${about.a_noun}`,
        description: about.notes?.change,
        request: { params: IdParam, body: jsonBody(about.Change) },
        responses: { 200: one, ...OBJECT_ERRORS, ...BODY_ERRORS },
      }),
      async (c) => {
        const row = await verbs.change(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
        return c.json(verbs.present(row), 200);
      },
    ),

    endpoint(
      { ...writes, audit: `${about.audited_as}.deleted`, ids },
      createRoute({
        method: "delete",
        path: `${about.path}/{id}`,
        tags,
        summary: `Delete ${about.a_noun}`,
        description: about.notes?.deletion,
        request: { params: IdParam },
        responses: { ...noContent, ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
      }),
      async (c) => {
        await verbs.remove(c.var.ctx, c.req.valid("param").id);
        return c.body(null, 204);
      },
    ),
  ];
}

/** Below `/status-pages/{id}/…`: list, creation, change and deletion. */
export function pageEndpointsOf<Stored extends PageObject, Creation, Change, Shown>(
  verbs: Verbs<Stored, Creation, Change, Shown>,
  about: Described<Creation, Change, Shown> & { path: string; id_param: string },
): Endpoint[] {
  const { reads, writes, one, many, tags } = partsOf(about);
  const path = `/status-pages/{id}${about.path}`;
  const onePath = `${path}/{${about.id_param}}`;
  const ids = { params: { id: "page", [about.id_param]: about.id_kind } } as const;
  const params = IdParam.extend({ [about.id_param]: z.uuid() });
  const requireId = async (c: AppContext): Promise<string> => {
    const { id: pageId = "", [about.id_param]: id = "" } = c.req.param();
    await verbs.requireOn(c.var.ctx, pageId, id);
    return id;
  };
  return [
    endpoint(
      { ...reads, ids: onPage },
      createRoute({
        method: "get",
        path,
        tags,
        summary: `List the ${about.plural} of a status page`,
        request: { params: IdParam, query: ListQuery },
        responses: { 200: many, ...OBJECT_ERRORS },
      }),
      async (c) => {
        const page = c.req.valid("query");
        const { rows, total } = await verbs.list(c.var.ctx, c.req.valid("param").id, page);
        setListHeaders(c, page, total);
        return c.json(rows.map(verbs.present), 200);
      },
    ),

    endpoint(
      { ...writes, ids: onPage, audit: `${about.audited_as}.created` },
      createRoute({
        method: "post",
        path,
        tags,
        summary: `Create ${about.a_noun}`,
        description: about.notes?.creation,
        request: { params: IdParam, body: jsonBody(about.Create) },
        responses: { 201: one, ...OBJECT_ERRORS, ...BODY_ERRORS },
      }),
      async (c) => {
        const row = await verbs.create(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
        return c.json(verbs.present(row), 201);
      },
    ),

    endpoint(
      { ...writes, ids, audit: `${about.audited_as}.updated` },
      createRoute({
        method: "put",
        path: onePath,
        tags,
        summary: `Update ${about.a_noun}`,
        description: about.notes?.change,
        request: { params, body: jsonBody(about.Change) },
        responses: { 200: one, ...OBJECT_ERRORS, ...BODY_ERRORS },
      }),
      async (c) => {
        const row = await verbs.change(c.var.ctx, await requireId(c), c.req.valid("json"));
        return c.json(verbs.present(row), 200);
      },
    ),

    endpoint(
      { ...writes, ids, audit: `${about.audited_as}.deleted` },
      createRoute({
        method: "delete",
        path: onePath,
        tags,
        summary: `Delete ${about.a_noun}`,
        description: about.notes?.deletion,
        request: { params },
        responses: { ...noContent, ...OBJECT_ERRORS },
      }),
      async (c) => {
        await verbs.remove(c.var.ctx, await requireId(c));
        return c.body(null, 204);
      },
    ),
  ];
}

const onPage = { params: { id: "page" } } as const;

function partsOf<Creation, Change, Shown>(about: Described<Creation, Change, Shown>) {
  const reads = { at: about.at, auth: "user", rate: "api", permission: null, audit: null } as const;
  return {
    reads,
    writes: { ...reads, permission: about.permission },
    tags: [about.tag],
    one: json(`The ${about.noun}`, about.Shown),
    many: json(`The ${about.plural}, ${about.order}`, z.array(about.Shown)),
  };
}
