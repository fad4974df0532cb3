import { createRoute } from "@hono/zod-openapi";
import { CustomDomain, DomainInput } from "../../contract/custom-domain.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS } from "../../http/responses.ts";
import { targetOfDomains } from "../../platform/egress/service-hosts.ts";
import { presentDomain } from "./present.ts";
import { getDomain, setDomain } from "./service.ts";

const shared = { at: ["v1"], auth: "user", rate: "api", ids: { params: { id: "page" } } } as const;
const tags = ["Status pages"];

function targetOf({ settings, publicUrl }: Pick<AppEnv["Variables"], "settings" | "publicUrl">): string {
  return targetOfDomains({ ...settings, PUBLIC_URL: publicUrl });
}

export const endpoints = [
  endpoint(
    { ...shared, permission: "page.read", audit: null },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/ssl",
      tags,
      summary: "Get the custom domain of a status page",
      request: { params: IdParam },
      responses: { 200: json("The domain", CustomDomain), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentDomain(await getDomain(c.var.ctx, c.req.valid("param").id), targetOf(c.var)), 200),
  ),

  endpoint(
    { ...shared, permission: "page.write", audit: "page.domain_set" },
    createRoute({
      method: "put",
      path: "/status-pages/{id}/ssl",
      tags,
      summary: "Set the custom domain of a status page",
      description:
        "The page is served under the domain once its TXT record was seen, which is queried every minute at first, and its certificate is active. The CNAME record routes visitors; at the top of a zone an ALIAS or the same addresses work, too. It may be set before or after; `error` names the missing record. A domain that is not verified within 72 hours has failed. Later both records are queried every day; when the TXT record, or a CNAME record that was seen before, has been missing for 72 hours, the page is not served under the domain until the record is back. The owner gets a notification of each. A released domain that was verified is reserved for 7 days. Sending the same domain again queries at once.",
      request: { params: IdParam, body: jsonBody(DomainInput) },
      responses: { 200: json("The domain", CustomDomain), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const set = await setDomain(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentDomain(set, targetOf(c.var)), 200);
    },
  ),
];
