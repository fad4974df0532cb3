import { z } from "zod";

export const DNS_RECORD_TYPES = ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SOA", "SRV", "TXT"] as const;
export type DnsRecordType = (typeof DNS_RECORD_TYPES)[number];

export const DNS_MATCH_TYPES = ["contains", "exact", "any"] as const;

const EXPECTED_MAX = 20;
const VALUE_MAX = 4000;
/** Of a domain name, and room for a port. */
const SERVER_MAX = 260;

/** Accepts a monitor's body or record, whose other members it ignores. */
export const DnsCheck = z.object({
  dns_record_type: z
    .enum(DNS_RECORD_TYPES)
    .nullish()
    .meta({ description: "dns: record type to query; default A" })
    .transform((value) => value ?? "A"),
  dns_expected: z
    .array(z.string().trim().min(1).max(VALUE_MAX))
    .max(EXPECTED_MAX)
    .nullish()
    .meta({
      description:
        "dns: values of the records as zone files write them, e.g. `192.0.2.1`, `10 mail.example.com`; " +
        "quotes, final dots and the case of names do not matter; omitted: any record",
    })
    .transform((value) => value ?? []),
  dns_match_type: z
    .enum(DNS_MATCH_TYPES)
    .nullish()
    .meta({
      description:
        "dns: contains = all of dns_expected are among the records (default), exact = and nothing else is, " +
        "any = at least one of them is",
    })
    .transform((value) => value ?? "contains"),
  dns_server: z
    .string()
    .trim()
    .min(1)
    .max(SERVER_MAX)
    .nullish()
    .meta({
      description: "dns: host or host:port of the name server to query over TCP; absent: public resolvers over HTTPS",
    })
    .transform((value) => value ?? null),
});
export type DnsCheck = z.infer<typeof DnsCheck>;
