import { createRoute } from "@hono/zod-openapi";
import { ReferralClick, ReferralRedeem, ReferralStats } from "../../contract/referral.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, json, jsonBody, noContent, PUBLIC_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentReferrals } from "./present.ts";
import { getMyReferrals, recordClick, redeemMyCredits } from "./service.ts";

const tags = ["Referrals"];

export const endpoints = [
  endpoint(
    { at: ["v1"], auth: "user", permission: null, audit: null, rate: "api", token: "account" },
    createRoute({
      method: "get",
      path: "/referrals/stats",
      tags,
      summary: "Read your referral code and what came of it",
      responses: { 200: json("Your referrals", ReferralStats), ...USER_ERRORS },
    }),
    async (c) => c.json(presentReferrals(await getMyReferrals(c.var.ctx), c.var.publicUrl), 200),
  ),

  endpoint(
    { at: ["v1"], auth: "user", permission: null, audit: "referral.redeemed", rate: "api" },
    createRoute({
      method: "post",
      path: "/referrals/redeem",
      tags,
      summary: "Redeem referral credits",
      description: "400 when fewer credits are left. A redemption is booked and listed in the audit log.",
      request: { body: jsonBody(ReferralRedeem) },
      responses: { 200: json("Your referrals afterwards", ReferralStats), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const referrals = await redeemMyCredits(c.var.ctx, c.req.valid("json").credits);
      return c.json(presentReferrals(referrals, c.var.publicUrl), 200);
    },
  ),

  endpoint(
    { at: ["v1"], auth: "public", permission: null, audit: null, rate: "click" },
    createRoute({
      method: "post",
      path: "/referrals/click",
      tags,
      summary: "Count a click on a referral link",
      description: "Needs no credential; 400 for an unknown code.",
      request: { body: jsonBody(ReferralClick) },
      responses: { ...noContent, ...PUBLIC_ERRORS, 413: BODY_ERRORS[413], 415: BODY_ERRORS[415] },
    }),
    async (c) => {
      await recordClick(c.var.ctx, c.req.valid("json").code);
      return c.body(null, 204);
    },
  ),
];
