import { z } from "zod";
import type { DnsRecord } from "../contract/custom-domain.ts";
import { egressOf } from "./egress/guard.ts";
import type { Settings } from "./settings.ts";

export interface Certificate {
  /** How the provider calls it; null where there is none. */
  id: string | null;
  status: "pending" | "active" | "error";
  error: string | null;
  /** What the provider wants to see in the name's zone. */
  records: DnsRecord[];
}

/** A provider of certificates and routing for custom domains. */
export interface CustomHostnames {
  /** Asks for the name unless it is known, and says how it stands. Throws when the provider does not answer. */
  ensure(hostname: string): Promise<Certificate>;
  remove(id: string): Promise<void>;
}

/** Cloudflare for SaaS where the operator named a zone; otherwise the proxy in front of the service has certificates. */
export function customHostnamesOf(settings: Settings): CustomHostnames {
  return settings.CF_API_TOKEN !== "" && settings.CF_ZONE_ID !== "" ? cloudflare(settings) : WITHOUT_PROVIDER;
}

const WITHOUT_PROVIDER: CustomHostnames = {
  ensure: async () => ({ id: null, status: "active", error: null, records: [] }),
  remove: async () => {},
};

const TIMEOUT_MS = 10_000;
const NOT_FOUND = 404;

/** https://developers.cloudflare.com/api/resources/custom_hostnames/ */
const Hostname = z.object({
  id: z.string(),
  hostname: z.string(),
  status: z.string().default("pending"),
  verification_errors: z.array(z.string()).default([]),
  ssl: z
    .object({
      status: z.string().default("initializing"),
      validation_errors: z.array(z.object({ message: z.string() })).default([]),
      validation_records: z
        .array(z.object({ txt_name: z.string().optional(), txt_value: z.string().optional() }))
        .default([]),
    })
    .nullish(),
});
type Hostname = z.infer<typeof Hostname>;

const Failure = z.object({ errors: z.array(z.object({ message: z.string() })).default([]) });

/** Statuses from which a name does not come back by itself. */
const HOPELESS = ["blocked", "moved", "deleted", "test_blocked", "test_failed"];

function cloudflare(settings: Settings): CustomHostnames {
  const base = `${settings.CF_API_BASE}/zones/${settings.CF_ZONE_ID}/custom_hostnames`;
  const call = async (method: string, path: string, body?: unknown) => {
    const { response } = await egressOf(settings).guardedFetch(new URL(base + path), {
      method,
      headers: { authorization: `Bearer ${settings.CF_API_TOKEN}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
      purpose: "check",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok) return answer;
    if (method === "DELETE" && response.status === NOT_FOUND) return null;
    const said = Failure.safeParse(answer).data?.errors[0]?.message ?? "no reason";
    throw new Error(`custom hostnames: ${method} answered ${response.status}, ${said}`);
  };
  return {
    async ensure(hostname) {
      const found = z
        .object({ result: z.array(Hostname) })
        .parse(await call("GET", `?hostname=${encodeURIComponent(hostname)}`));
      // The provider's filter matches substrings, so that its list may hold names of other pages.
      const known = found.result.find((each) => each.hostname === hostname);
      if (known) return toCertificate(known);
      const ssl = { method: "http", type: "dv", settings: { min_tls_version: "1.2" } };
      return toCertificate(z.object({ result: Hostname }).parse(await call("POST", "", { hostname, ssl })).result);
    },
    async remove(id) {
      await call("DELETE", `/${encodeURIComponent(id)}`);
    },
  };
}

function toCertificate({ id, status, ssl, verification_errors }: Hostname): Certificate {
  const isActive = status === "active" && ssl?.status === "active";
  const isHopeless = HOPELESS.includes(status) || /_timed_out$|^expired$/.test(ssl?.status ?? "");
  const problem = ssl?.validation_errors[0]?.message ?? verification_errors[0] ?? null;
  return {
    id,
    status: isActive ? "active" : isHopeless ? "error" : "pending",
    error: isActive ? null : (problem ?? (isHopeless ? `the certificate's provider says ${status}` : null)),
    records: (ssl?.validation_records ?? []).flatMap(({ txt_name, txt_value }): DnsRecord[] =>
      txt_name !== undefined && txt_value !== undefined ? [{ type: "TXT", name: txt_name, value: txt_value }] : [],
    ),
  };
}
