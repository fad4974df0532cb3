import { z } from "zod";
import { Id, Instant } from "./common.ts";
import { PagesOfToken, ScopesOfToken, TOKEN_SCOPES } from "./token.ts";

const LIFETIME_MINUTES_MAX = 60;
const LIFETIME_MINUTES_DEFAULT = 15;
const NAME_MAX = 200;
/** Of GitHub's token, which has some 2,000 characters. */
const WORKFLOW_TOKEN_LENGTH_MAX = 8192;

const exactly = z.string().trim().min(1).max(NAME_MAX);

export const TrustedWorkflowCreate = z
  .object({
    repository: z
      .string()
      .trim()
      .max(NAME_MAX)
      .regex(/^[\w.-]+\/[\w.-]+$/, "must be owner/name")
      .meta({ description: "as GitHub names it: owner/name" }),
    branch: exactly.nullish().meta({ description: "of the run, such as main; absent or null: any branch or tag" }),
    environment: exactly.nullish().meta({ description: "of the job; absent or null: any, or none" }),
    scopes: ScopesOfToken.meta({ description: "what its tokens may do at most; each includes `read`" }),
    status_page_ids: PagesOfToken.nullish().meta({
      description: "its tokens reach what is on these pages, and nothing else. Absent or null: everything",
    }),
    lifetime_minutes: z
      .number()
      .int()
      .min(1)
      .max(LIFETIME_MINUTES_MAX)
      .nullish()
      .transform((minutes) => minutes ?? LIFETIME_MINUTES_DEFAULT)
      .meta({ description: `of each token; absent or null: ${LIFETIME_MINUTES_DEFAULT}` }),
  })
  .meta({ id: "TrustedWorkflowCreate" });
export type TrustedWorkflowCreate = z.infer<typeof TrustedWorkflowCreate>;

export const TrustedWorkflow = z
  .object({
    id: Id,
    repository: z.string(),
    branch: z.string().nullable().meta({ description: "null: any" }),
    environment: z.string().nullable().meta({ description: "null: any, or none" }),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    status_page_ids: z.array(Id).nullable().meta({ description: "null: everything" }),
    lifetime_minutes: z.number().int(),
    audience: z.string().meta({ description: "that the workflow asks GitHub's token for" }),
    last_used_at: Instant.nullable().meta({ description: "when it was given a token last" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "TrustedWorkflow" });

export const WorkflowLogin = z
  .object({
    trusted_workflow_id: Id,
    token: z.string().max(WORKFLOW_TOKEN_LENGTH_MAX).meta({ description: "that GitHub gave the job for the audience" }),
  })
  .meta({ id: "WorkflowLogin" });
export type WorkflowLogin = z.infer<typeof WorkflowLogin>;

export const WorkflowToken = z
  .object({ token: z.string().meta({ description: "an API token" }), expires_at: Instant })
  .meta({ id: "WorkflowToken" });
