import { z } from "zod";
import { Instant, InstantInput } from "./common.ts";
import { Networks } from "./token.ts";

/** Who has to have a second factor: nobody, those who sign in here by themselves, or those who come by a provider as well. */
export const SECOND_FACTOR_RULES = ["optional", "passwords", "everybody"] as const;
export type SecondFactorRule = (typeof SECOND_FACTOR_RULES)[number];

const MINUTES_MIN = 5;
/** Browsers keep a cookie for 400 days at most. */
const MINUTES_MAX = 400 * 24 * 60;
const minutes = z.number().int().min(MINUTES_MIN).max(MINUTES_MAX);

export const SESSION_POLICY_FIELDS = [
  "session_minutes",
  "session_idle_minutes",
  "second_factor",
  "second_factor_from",
  "allowed_networks",
] as const;
export type SessionPolicyField = (typeof SESSION_POLICY_FIELDS)[number];

export const SessionPolicyChange = z
  .object({
    session_minutes: minutes.nullish().meta({ description: "how long a session lasts at most; null: 43200, 30 days" }),
    session_idle_minutes: minutes.nullish().meta({ description: "and how long without use; null: 10080, 7 days" }),
    second_factor: z.enum(SECOND_FACTOR_RULES).nullish().meta({
      description:
        "`passwords`: required of sessions that did not begin by a provider of sign-in; `everybody`: of those, too. null: `optional`",
    }),
    second_factor_from: InstantInput.nullish().meta({
      description: "until then people without one are asked to set one up, and nothing else changes; null: at once",
    }),
    allowed_networks: Networks.nullish().meta({
      description:
        "addresses and networks (CIDR) from which people sign in and use their sessions; your own has to be among them. null: from anywhere",
    }),
  })
  .meta({ id: "SessionPolicyChange" });
export type SessionPolicyChange = z.infer<typeof SessionPolicyChange>;

export const SessionPolicy = z
  .object({
    session_minutes: z.number(),
    session_idle_minutes: z.number(),
    second_factor: z.enum(SECOND_FACTOR_RULES),
    second_factor_from: Instant.nullable(),
    allowed_networks: z.array(z.string()).nullable(),
    set_by_environment: z
      .array(z.enum(SESSION_POLICY_FIELDS))
      .meta({ description: "what variables of the service decide, and no request changes" }),
  })
  .meta({ id: "SessionPolicy" });
