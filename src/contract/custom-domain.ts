import { z } from "zod";
import { Hostname, SSL_TYPES } from "./status-page.ts";

export const DOMAIN_STATUSES = ["none", "pending", "active", "error"] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

export const DnsRecord = z.object({ type: z.enum(["TXT", "CNAME"]), name: z.string(), value: z.string() });
export type DnsRecord = z.infer<typeof DnsRecord>;

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
