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
        "The page is served under the name once its TXT record was seen, which is looked for every minute at first, and its certificate is there. The CNAME record brings visitors; at the top of a zone an ALIAS or the same addresses will do. It may be turned before or after, `error` says which record is missing. Later both are looked for every day; when the TXT record, or a CNAME record that once was there, has been missing for 72 hours the page is no longer served under the name, until it is back. The owner is told of each in the product. A name that was given up is kept from other accounts for 7 days. Sending the same name again looks at once.",
      request: { params: IdParam, body: jsonBody(DomainInput) },
      responses: { 200: json("The domain", CustomDomain), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const set = await setDomain(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentDomain(set, targetOf(c.var)), 200);
    },
  ),
];
