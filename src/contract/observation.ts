import { z } from "zod";
import { Instant } from "./common.ts";

/**
 * What one check of one location saw in full, for the team: kept of the first failure and of the recovery. The same of the
 * edge and of agents; a part that the place cannot know is absent. Nothing in it is a secret of the request, which are
 * masked where it is made.
 */

const HEADERS_MAX = 30;
const ADDRESSES_MAX = 10;
export const BODY_SHOWN_MAX = 4096;
const ADDRESS_MAX = 100;
const NAME_MAX = 253;

const Milliseconds = z.number().min(0).max(3_600_000).overwrite(Math.round);
const Header = z.tuple([z.string().max(100), z.string().max(200)]);
const Headers = z.array(Header).max(HEADERS_MAX);

const Lookup = z.object({
  name: z.string().max(NAME_MAX),
  answers: z.array(z.string().max(ADDRESS_MAX)).max(ADDRESSES_MAX),
  server: z.string().max(200).nullable().meta({ description: "who was asked; null: the resolver of the host" }),
  latency_ms: Milliseconds.nullable(),
});

const Connection = z.object({
  address: z.string().max(ADDRESS_MAX).nullable().meta({ description: "the one that was tried; null: not known" }),
  port: z.int().min(0).max(65_535),
  latency_ms: Milliseconds.nullable(),
});

const Certificate = z.object({
  subject: z.string().max(101),
  issuer: z.string().max(101),
  expires_at: z.string().max(40),
});

const Tls = z.object({
  version: z.string().max(30).nullable(),
  names: z.string().max(101).meta({ description: "for which the server's certificate is" }),
  chain: z.array(Certificate).max(5).meta({ description: "as the server sent it, its own first" }),
  refusal: z.string().max(300).nullable().meta({ description: "why no client may accept it" }),
});

/** Where the place cannot divide the time until the answer began, `undivided_ms` is all of it. */
const Phases = z.object({
  lookup_ms: Milliseconds.nullable(),
  connect_ms: Milliseconds.nullable(),
  tls_ms: Milliseconds.nullable(),
  first_byte_ms: Milliseconds.nullable(),
  transfer_ms: Milliseconds.nullable(),
  undivided_ms: Milliseconds.nullable(),
});
export type Phases = z.infer<typeof Phases>;

/** The way to the target, which only agents can walk. */
const Path = z.object({
  by: z.enum(["mtr", "traceroute", "ttl"]),
  hops: z
    .array(
      z.object({
        ttl: z.int().min(1).max(64),
        address: z.string().max(ADDRESS_MAX).nullable().meta({ description: "null: it did not answer" }),
        latency_ms: Milliseconds.nullable(),
      }),
    )
    .max(40),
});
export type Path = z.infer<typeof Path>;

export const Observation = z
  .object({
    lookup: Lookup.optional(),
    connection: Connection.optional(),
    tls: Tls.optional(),
    request: z.object({ line: z.string().max(500), headers: Headers }).optional(),
    response: z.object({ line: z.string().max(200), headers: Headers }).optional(),
    body: z
      .string()
      .max(BODY_SHOWN_MAX)
      .optional()
      .meta({ description: "the beginning of the answer, where it is text" }),
    phases: Phases.optional(),
    path: Path.optional(),
  })
  .meta({ id: "Observation" });
export type Observation = z.infer<typeof Observation>;

export const LocationEvidence = z
  .object({
    location: z.string().meta({ description: "a region, default or agent:<id>" }),
    location_name: z.string(),
    found: z.enum(["failure", "success"]),
    checked_at: Instant.meta({ description: "when the check began" }),
    message: z.string(),
    observation: Observation,
  })
  .meta({ id: "LocationEvidence" });
export type LocationEvidence = z.infer<typeof LocationEvidence>;

export const OBSERVED_HEADERS_MAX = HEADERS_MAX;
export const OBSERVED_ADDRESSES_MAX = ADDRESSES_MAX;
