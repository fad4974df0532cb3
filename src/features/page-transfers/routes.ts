import { createRoute } from "@hono/zod-openapi";
import type { z } from "zod";
import { requireRecentPassword } from "../../access/sessions.ts";
import {
  PageTransfer,
  PageTransferAccept,
  PageTransferCreate,
  PageTransferDecline,
  TransferredPage,
} from "../../contract/page-transfer.ts";
import type { PageTransferRecord } from "../../data/page-transfers/read.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { toIso } from "../../platform/clock.ts";
import { presentPage } from "../status-pages/present.ts";
import { type StatusPageWithUrl, withUrl } from "../status-pages/service.ts";
import { acceptPage, declinePage, offerPage, withdrawOffer } from "./service.ts";

const tags = ["Status pages"];
const shared = { at: ["v1"], auth: "user", rate: "invitation" } as const;

export const endpoints = [
  endpoint(
    { ...shared, permission: null, audit: "page.transferred" },
    createRoute({
      method: "post",
      path: "/status-pages/transfers/accept",
      tags,
      summary: "Accept a status page that is handed over to you",
      description:
        "The page comes with everything on it. Your plan has to have room (403), and none of its external keys may be taken in your account (409). The former owner stays as an admin; agents stay behind, and the monitors that they ran are paused.",
      request: { body: jsonBody(PageTransferAccept) },
      responses: { 200: json("The page, which is yours now", TransferredPage), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { page, detached_monitor_ids } = await acceptPage(c.var.ctx, c.req.valid("json"));
      return c.json(presentTransferred(await withUrl(c.var.ctx, page), detached_monitor_ids), 200);
    },
  ),

  endpoint(
    { ...shared, permission: null, audit: "page.transfer_declined" },
    createRoute({
      method: "post",
      path: "/status-pages/transfers/decline",
      tags,
      summary: "Decline a status page that is handed over to you",
      description: "Ends the offer and notifies the owner of the page, who keeps it.",
      request: { body: jsonBody(PageTransferDecline) },
      responses: { ...noContent, ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      await declinePage(c.var.ctx, c.req.valid("json"));
      return c.body(null, 204);
    },
  ),

  endpoint(
    {
      ...shared,
      permission: "page.transfer",
      audit: "page.transfer_offered",
      ids: { params: { id: "page" } },
      onAuthenticated: requireRecentPassword,
    },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/transfer",
      tags,
      summary: "Hand a status page over to another account",
      description:
        "Mails the receiver a link that accepts it within 7 days; a new offer ends the one before. For its owner alone, signed in with the password at most 15 minutes before: an API token is not enough (403 password_required).",
      request: { params: IdParam, body: jsonBody(PageTransferCreate) },
      responses: { 201: json("The offer", PageTransfer), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentTransfer(await offerPage(c.var.ctx, c.req.valid("param").id, c.req.valid("json"))), 201),
  ),

  endpoint(
    {
      ...shared,
      permission: "page.transfer",
      audit: "page.transfer_withdrawn",
      ids: { params: { id: "page" } },
    },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/transfer/withdraw",
      tags,
      summary: "Withdraw the offer of a status page",
      description: "Ends the open offer, and with it the mailed link. 404 where none is open.",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await withdrawOffer(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];

function presentTransfer(transfer: PageTransferRecord): z.infer<typeof PageTransfer> {
  return {
    id: transfer.id,
    status_page_id: transfer.status_page_id,
    user_id: transfer.to_user_id,
    expires_at: toIso(transfer.expires_at),
    created_at: toIso(transfer.created_at),
    updated_at: toIso(transfer.updated_at),
  };
}

function presentTransferred(page: StatusPageWithUrl, detached_monitor_ids: string[]): z.infer<typeof TransferredPage> {
  return Object.assign(presentPage(page), { detached_monitor_ids });
}
