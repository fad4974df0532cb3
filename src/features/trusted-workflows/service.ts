import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { toPrincipal } from "../../access/owners.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { ApiError, conflict, forbidden, notFound, unauthenticated, unavailable } from "../../contract/errors.ts";
import type { TrustedWorkflowCreate, WorkflowLogin } from "../../contract/trusted-workflow.ts";
import { insertUsedChallenge } from "../../data/passkeys/write.ts";
import {
  findWorkflow,
  findWorkflowOwner,
  hasManyWorkflows,
  isRunOver,
  listWorkflows,
  type TrustedWorkflowRecord,
} from "../../data/trusted-workflows/read.ts";
import {
  deleteTokensOfPastRuns,
  deleteWorkflow,
  insertWorkflow,
  storeWorkflowUse,
} from "../../data/trusted-workflows/write.ts";
import type { ApiTokenRecord } from "../../data/users/read.ts";
import { insertToken } from "../../data/users/write.ts";
import { refusalOfRun } from "../../domain/trusted-workflows.ts";
import { MINUTE_MS } from "../../lib/durations.ts";
import { newApiToken, sha256Hex, tokenPrefix } from "../../platform/credentials.ts";
import { readWorkflowToken } from "../../platform/github-actions.ts";
import { newId } from "../../platform/ids.ts";
import { ProviderError } from "../../platform/provider-requests.ts";
import { commitWithMail } from "../sessions/security-mail.ts";

const WORKFLOWS_MAX = 50;

export function listMyWorkflows(ctx: RequestScope, page: { limit: number; offset: number }) {
  return listWorkflows(ctx.db, requireUser(ctx).user_id, page);
}

/** From now on runs that meet its conditions get tokens of the caller's account. */
export async function trustWorkflow(ctx: RequestScope, input: TrustedWorkflowCreate): Promise<TrustedWorkflowRecord> {
  const { user_id } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return getMine(ctx, earlier);
  const record: TrustedWorkflowRecord = {
    id: newId(ctx.now),
    user_id,
    repository: input.repository.toLowerCase(),
    repository_id: null,
    branch: input.branch ?? null,
    environment: input.environment ?? null,
    scopes: [...new Set(input.scopes)],
    status_page_ids: input.status_page_ids ? [...new Set(input.status_page_ids)] : null,
    lifetime_minutes: input.lifetime_minutes,
    last_used_at: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const tooMany = conflict(`an account trusts ${WORKFLOWS_MAX} workflows at most: remove one first`);
  await commitWithMail(ctx, [insertWorkflow(ctx.db, record)], {
    audit: auditOf(record, `trusted workflows of ${record.repository}`),
    guards: [{ name: "stale", when: hasManyWorkflows(user_id, WORKFLOWS_MAX), error: tooMany }],
    mail: {
      subject: "A workflow gets API tokens of your account",
      text: `Workflows of the repository ${record.repository} were trusted: they get API tokens of your account that last minutes.`,
    },
  });
  return record;
}

async function getMine(ctx: RequestScope, id: string): Promise<TrustedWorkflowRecord> {
  const record = await findWorkflow(ctx.db, { user_id: requireUser(ctx).user_id, id });
  if (!record) throw notFound("trusted workflow");
  return record;
}

/** Its tokens end with it. */
export async function distrustWorkflow(ctx: RequestScope, id: string): Promise<void> {
  const record = await getMine(ctx, id);
  await commit(ctx, [deleteWorkflow(ctx.db, record)], {
    audit: auditOf(record, `no longer trusts workflows of ${record.repository}`),
  });
}

/** A token for one run, for what GitHub says of it. Each of GitHub's tokens is accepted once. */
export async function signInWorkflow(
  ctx: RequestScope,
  { trusted_workflow_id, token: given }: WorkflowLogin,
): Promise<{ token: string; expires_at: number }> {
  const found = await findWorkflowOwner(ctx.db, trusted_workflow_id);
  if (!found) throw unauthenticated();
  const { workflow, user } = found;
  const { run, token_hash, expires_at: given_until } = await readGiven(ctx, given);
  if (user.deactivated_at !== null || user.deleted_at !== null) throw unauthenticated();
  const refusal = refusalOfRun(workflow, run);
  if (refusal !== null) throw forbidden(refusal);
  const token = newApiToken();
  const expires_at = ctx.now + workflow.lifetime_minutes * MINUTE_MS;
  const record: ApiTokenRecord = {
    id: newId(ctx.now),
    user_id: user.id,
    name: `GitHub Actions: ${run.repository}`,
    token_hash: sha256Hex(token),
    token_prefix: tokenPrefix(token),
    former_hash: null,
    former_until: null,
    former_used_at: null,
    last_used_at: null,
    expires_at,
    scopes: workflow.scopes,
    status_page_ids: workflow.status_page_ids,
    allowed_networks: null,
    trusted_workflow_id: workflow.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const statements = [
    insertUsedChallenge(ctx.db, { challenge_hash: token_hash, expires_at: given_until }),
    deleteTokensOfPastRuns(ctx.db, { id: workflow.id, now: ctx.now }),
    storeWorkflowUse(ctx.db, { id: workflow.id, repository_id: run.repository_id, now: ctx.now }),
    insertToken(ctx.db, record),
  ];
  const principal = toPrincipal(user, { token_id: record.id, session_id: null }, ctx.settings);
  await commit({ ...ctx, principal }, statements, {
    audit: {
      ...auditOf(workflow, `a run of ${run.repository} at ${run.ref} got an API token`),
      data: { ...run, token_prefix: record.token_prefix },
    },
    guards: [
      {
        name: "stale",
        when: isRunOver(workflow, token_hash),
        error: unauthenticated("the workflow's token was used before, or the workflow is no longer trusted"),
      },
    ],
  });
  return { token, expires_at };
}

async function readGiven(ctx: RequestScope, token: string) {
  try {
    return await readWorkflowToken(ctx.settings, { audience: ctx.publicUrl, token });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ctx.log.warn("token of a workflow refused", { finding: error.message });
    if (error.reason === "unreachable") throw unavailable("the keys of GitHub Actions cannot be read");
    throw new ApiError(
      401,
      `the workflow's token is not accepted: it has to be GitHub's, for ${ctx.publicUrl}, in time`,
    );
  }
}

function auditOf({ id, user_id }: TrustedWorkflowRecord, summary: string) {
  return { owner_id: user_id, target_type: "trusted_workflow", target_id: id, summary };
}
