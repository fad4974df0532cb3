import { createRoute, z } from "@hono/zod-openapi";
import {
  AcceptedMember,
  ChangedMember,
  Invitation,
  InvitationAccept,
  Member,
  MemberInvite,
  MemberRemoval,
  MemberUpdate,
  Seats,
} from "../../contract/member.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { Flag, ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { acceptInvitation } from "./accept.ts";
import { cancelInvitation, inviteMember, requireSeat, resendInvitation } from "./invite.ts";
import { presentAccepted, presentEntry, presentInvitation, presentMember, presentSeats } from "./present.ts";
import { changeMember, getSeats, listMembers, removeFromAllPages, removeMember } from "./service.ts";

const tags = ["Members"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;
const reads = {
  ...shared,
  permission: "page.read",
  audit: null,
  ids: { params: { id: "page" } },
} satisfies EndpointPolicy;
const writes = { ...shared, permission: "members.manage" } as const;
/** The required permission depends on whether the member is the caller. */
const member = { params: { id: "page:see", member_id: "member" } } as const;
const RemovalQuery = z.object({
  all_pages: Flag.optional().meta({
    description: "true: from all pages of their owner, who alone may do that; without `keep`",
  }),
  keep: Flag.optional().meta({ description: "true: what they set up goes on, and you answer for it from now on" }),
});
const MemberParams = IdParam.extend({ member_id: z.uuid() });

export const endpoints = [
  endpoint(
    reads,
    createRoute({
      method: "get",
      path: "/status-pages/{id}/members",
      tags,
      summary: "List the team of a status page",
      description: "Members and pending invitations. The owner is not among them.",
      request: { params: IdParam, query: ListQuery },
      responses: { 200: json("The team, oldest first", z.array(Member)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listMembers(c.var.ctx, c.req.valid("param").id, page);
      setListHeaders(c, page, total);
      return c.json(rows.map(presentEntry), 200);
    },
  ),

  endpoint(
    reads,
    createRoute({
      method: "get",
      path: "/status-pages/{id}/seats",
      tags,
      summary: "Get the seat usage of a status page",
      request: { params: IdParam },
      responses: { 200: json("The seats; the owner takes none", Seats), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentSeats(await getSeats(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    {
      ...writes,
      audit: "member.invited",
      ids: { params: { id: "page" } },
      plan: requireSeat,
    },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/members",
      tags,
      summary: "Invite a member to a status page",
      description:
        "The mail and the response contain the address that accepts. For the owner, `password` with `confirmed` creates an account for an address without one.",
      request: { params: IdParam, body: jsonBody(MemberInvite) },
      responses: { 201: json("The invitation", Invitation), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const made = await inviteMember(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentInvitation(made), 201);
    },
  ),

  endpoint(
    { at: ["v1"], auth: "optional", permission: null, audit: "member.joined", rate: "accept" },
    createRoute({
      method: "post",
      path: "/status-pages/members/accept",
      tags,
      summary: "Accept an invitation",
      description:
        "Signed in as the invited person, or without a credential and with `name` and `password` for a new account, which is then signed in.",
      request: { body: jsonBody(InvitationAccept) },
      responses: { 200: json("The membership", AcceptedMember), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { member, cookies } = await acceptInvitation(c.var.ctx, c.req.valid("json"));
      for (const cookie of cookies) c.header("Set-Cookie", cookie, { append: true });
      return c.json(presentAccepted(member), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "member.updated", ids: member },
    createRoute({
      method: "put",
      path: "/status-pages/{id}/members/{member_id}",
      tags,
      summary: "Update the role of a member",
      description:
        "Never your own, and never beyond your own permissions. Agents that they enrolled are cut off where they may not read secrets any more.",
      request: { params: MemberParams, body: jsonBody(MemberUpdate) },
      responses: { 200: json("The member", ChangedMember), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { id, member_id } = c.req.valid("param");
      const { member, notices } = await changeMember(c.var.ctx, { page_id: id, member_id }, c.req.valid("json"));
      return c.json({ ...presentMember(member), notices }, 200);
    },
  ),

  endpoint(
    { ...writes, audit: "member.removed", ids: member },
    createRoute({
      method: "delete",
      path: "/status-pages/{id}/members/{member_id}",
      tags,
      summary: "Delete a member, or leave",
      description:
        "Takes effect with their next request. What they set up for the page ends with it: webhooks are switched off, chats unlinked, agents cut off, unless you keep it. With `all_pages` that goes for every page of the owner. Answers 200 with notices where there is such a thing or nobody is on call without them, else 204.",
      request: { params: MemberParams, query: RemovalQuery },
      responses: {
        200: json("What ended, and where nobody is on call without them", MemberRemoval),
        ...noContent,
        ...OBJECT_ERRORS,
        409: BODY_ERRORS[409],
      },
    }),
    async (c) => {
      const { id, member_id } = c.req.valid("param");
      const { all_pages, keep } = c.req.valid("query");
      const named = { page_id: id, member_id };
      const notices = all_pages
        ? await removeFromAllPages(c.var.ctx, named)
        : await removeMember(c.var.ctx, named, { keep });
      return notices.length > 0 ? c.json({ notices }, 200) : c.body(null, 204);
    },
  ),

  endpoint(
    {
      ...writes,
      audit: "member.invitation_resent",
      ids: { params: { id: "page", member_id: "invitation" } },
    },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/members/{member_id}/resend",
      tags,
      summary: "Send an invitation again",
      description:
        "By the id that the list of the team shows. The new mail and the new accept_url replace the old ones and are valid for 7 days.",
      request: { params: MemberParams },
      responses: { 200: json("The invitation", Invitation), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { id, member_id } = c.req.valid("param");
      return c.json(presentInvitation(await resendInvitation(c.var.ctx, { page_id: id, member_id })), 200);
    },
  ),

  endpoint(
    {
      ...writes,
      audit: "invitation.cancelled",
      ids: { params: { id: "page", invitation_id: "invitation" } },
    },
    createRoute({
      method: "delete",
      path: "/status-pages/{id}/members/invitations/{invitation_id}",
      tags,
      summary: "Cancel a pending invitation",
      request: { params: IdParam.extend({ invitation_id: z.uuid() }) },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { id, invitation_id } = c.req.valid("param");
      await cancelInvitation(c.var.ctx, { page_id: id, invitation_id });
      return c.body(null, 204);
    },
  ),
];
