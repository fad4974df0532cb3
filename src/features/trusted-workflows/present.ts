import type { z } from "zod";
import type { TrustedWorkflow } from "../../contract/trusted-workflow.ts";
import type { TrustedWorkflowRecord } from "../../data/trusted-workflows/read.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";

export function presentWorkflow(record: TrustedWorkflowRecord, audience: string): z.infer<typeof TrustedWorkflow> {
  return {
    id: record.id,
    repository: record.repository,
    branch: record.branch,
    environment: record.environment,
    scopes: record.scopes,
    status_page_ids: record.status_page_ids,
    lifetime_minutes: record.lifetime_minutes,
    audience,
    last_used_at: toIsoOrNull(record.last_used_at),
    created_at: toIso(record.created_at),
    updated_at: toIso(record.updated_at),
  };
}
