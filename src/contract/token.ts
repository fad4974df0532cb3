import { z } from "zod";
import { Id, Instant, InstantInput, Name } from "./common.ts";
import { CAPABILITIES } from "./member.ts";

export const TOKEN_LIFETIMES_DAYS = [30, 90, 180, 365] as const;

/** Each includes `read`: everything of a page except its secrets. */
export const TOKEN_SCOPES = ["read", ...CAPABILITIES] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

const PAGES_MAX = 100;
const NETWORKS_MAX = 50;

const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: "must be an IP address or a network such as 192.0.2.0/24",
});
export const Networks = z.array(Network).min(1).max(NETWORKS_MAX);

export const ScopesOfToken = z.array(z.enum(TOKEN_SCOPES)).min(1).max(TOKEN_SCOPES.length);
export const PagesOfToken = z.array(Id).min(1).max(PAGES_MAX);

export const TokenCreate = z
  .object({
    name: Name,
    // The document would name the first of several literals alone.
    expires_in_days: z
      .literal(TOKEN_LIFETIMES_DAYS)
      .nullish()
      .meta({
        type: ["integer", "null"],
        enum: [...TOKEN_LIFETIMES_DAYS, null],
        description: "absent or null: never expires, unless expires_at says when",
      }),
    expires_at: InstantInput.nullish().meta({ description: "in the future, instead of expires_in_days" }),
    scopes: ScopesOfToken.nullish().meta({
      description:
        "what the token may do at most, with the present rights of its maker; each includes `read`. Absent or null: everything that its maker may",
    }),
    status_page_ids: PagesOfToken.nullish().meta({
      description: "the token reaches what is on these pages, and nothing else. Absent or null: everything",
    }),
    allowed_networks: Networks.nullish().meta({
      description: "addresses and networks (CIDR) from which the token is accepted. Absent or null: from anywhere",
    }),
  })
  .meta({ id: "TokenCreate" });
export type TokenCreate = z.infer<typeof TokenCreate>;

/** A week. */
export const OVERLAP_HOURS_MAX = 168;
const OVERLAP_HOURS_DEFAULT = 24;

export const TokenRotate = z
  .object({
    overlap_hours: z
      .number()
      .int()
      .min(0)
      .max(OVERLAP_HOURS_MAX)
      .nullish()
      .transform((hours) => hours ?? OVERLAP_HOURS_DEFAULT)
      .meta({
        description: `how long the secret before is accepted, too: 0 ends it at once. Absent or null: ${OVERLAP_HOURS_DEFAULT}`,
      }),
  })
  .meta({ id: "TokenRotate" });
export type TokenRotate = z.infer<typeof TokenRotate>;

export const Token = z
  .object({
    id: Id,
    name: z.string(),
    token_prefix: z.string().meta({ description: "the first 12 characters, to recognise a token by" }),
    last_used_at: Instant.nullable().meta({ description: "may lag by a minute" }),
    expires_at: Instant.nullable(),
    scopes: z.array(z.enum(TOKEN_SCOPES)).nullable().meta({ description: "null: everything that its maker may" }),
    status_page_ids: z.array(Id).nullable().meta({ description: "null: everything" }),
    allowed_networks: z.array(z.string()).nullable().meta({ description: "null: from anywhere" }),
    former_until: Instant.nullable().meta({
      description: "until when the secret before the last rotation is accepted; null: it is not",
    }),
    former_used_at: Instant.nullable().meta({ description: "when that secret was presented last" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Token" });

export const CreatedToken = Token.extend({
  token: z.string().meta({ description: "the credential itself, shown this once" }),
}).meta({ id: "CreatedToken" });
