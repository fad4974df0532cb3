import { z } from "zod";
import { SSL_TYPES } from "./status-page.ts";

export const DOMAIN_STATUSES = ["none", "pending", "active", "error"] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

export const DnsRecord = z.object({ type: z.enum(["TXT", "CNAME"]), name: z.string(), value: z.string() });
export type DnsRecord = z.infer<typeof DnsRecord>;

/** RFC 1123 labels under a top-level domain that is not a number; no wildcards, addresses or single words. */
const HOSTNAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const HOSTNAME_LENGTH_MAX = 253;

/** Names in other scripts become their ASCII form, as browsers send them. */
const Hostname = z
  .string()
  .trim()
  .max(HOSTNAME_LENGTH_MAX)
  .transform((text, ctx) => {
    const host =
      /[\s/?#@\\:%*]/.test(text) || !URL.canParse(`https://${text}`) ? "" : new URL(`https://${text}`).hostname;
    const name = host.replace(/\.$/, "");
    if (HOSTNAME.test(name)) return name;
    ctx.addIssue("must be a host name, such as status.example.com");
    return z.NEVER;
  });

export const DomainInput = z
  .object({
    custom_domain: z
      .preprocess((value) => (typeof value === "string" && value.trim() === "" ? null : value), Hostname.nullish())
      .meta({ description: "null releases the name" }),
    ssl_type: z.enum(SSL_TYPES).nullish().meta({
      description: "managed: the service orders the certificate; none: a proxy in front provides it. Default managed",
    }),
  })
  .meta({ id: "CustomDomainInput" });
export type DomainInput = z.infer<typeof DomainInput>;

export const CustomDomain = z
  .object({
    custom_domain: z.string().nullable(),
    ssl_type: z.enum(SSL_TYPES),
    status: z.enum(DOMAIN_STATUSES).meta({ description: "active: the page is served under the name" }),
    records: z.array(DnsRecord).meta({ description: "the required DNS records" }),
    error: z.string().nullable(),
  })
  .meta({ id: "CustomDomain" });
export type CustomDomain = z.infer<typeof CustomDomain>;
