import type { CustomDomain } from "../../contract/custom-domain.ts";
import { recordsOf } from "./records.ts";
import type { PageDomain } from "./service.ts";

export function presentDomain({ page, domain }: PageDomain, target: string): CustomDomain {
  return {
    custom_domain: page.custom_domain,
    ssl_type: domain?.ssl_type ?? page.ssl_type,
    status: domain?.status ?? "none",
    records: domain ? recordsOf(domain, target) : [],
    error: domain?.error ?? null,
  };
}
