import type { ApiError } from "../contract/errors.ts";
import type { AuditRecord } from "../data/audit/read.ts";
import { insertAudit, insertAudits } from "../data/audit/write.ts";
import { rowsWrittenBy, runBatch, type Statement } from "../data/db.ts";
import { guardConstraint } from "../data/write-guards/table.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { auditEntryBytes, boundAuditData } from "../domain/write-budget.ts";
import { violates } from "../platform/d1-errors.ts";
import { idFrom, newId } from "../platform/ids.ts";
import type { AuditSubject, Guard } from "./audited-write.ts";
import { recordIdempotentResult, requestInProgress } from "./idempotency.ts";
import type { RequestScope } from "./scope.ts";
import { refuseBeyondToken } from "./token-limits.ts";
import { refuseOwnThings } from "./unverified.ts";
import { correctedStoredText, planWrite } from "./write-budgets.ts";

interface CommitOptions {
  audit: AuditSubject;
  /** Whether its texts count for the account, as those of people always do. */
  counts_text?: boolean;
  /** Entries of their own for each object of a write to many. */
  audit_each?: readonly (AuditSubject & { event_type: string })[];
  guards?: readonly Guard[];
  /** The stored result for a repeated request, where its audit target does not suffice. */
  answer?: unknown;
  /** Unique columns, as SQLite names them (`status_pages.slug`), and what a collision means to the caller. */
  conflicts?: Readonly<Record<string, ApiError>>;
  /** Read in the same transaction, after everything is written. */
  reads?: readonly Statement[];
}

/**
 * The one door for writes by a verb: all statements, the audit row and the memory of the Idempotency-Key become true
 * together or not at all. Gives what `reads` found.
 */
export async function commit(
  ctx: RequestScope,
  statements: readonly Statement[],
  options: CommitOptions,
): Promise<unknown[]> {
  const subjects = [options.audit, ...(options.audit_each ?? [])];
  refuseOwnThings(ctx.principal, subjects);
  refuseBeyondToken(ctx.principal, subjects);
  const { counts_text = ctx.principal.kind === "user", reads = [] } = options;
  const entry = auditRecord(ctx, options.audit);
  const entries = [
    entry,
    ...(options.audit_each ?? []).map((each) => ({ ...auditRecord(ctx, each), event_type: each.event_type })),
  ];
  const { owner_id } = options.audit;
  const audit_bytes = entries.reduce((sum, entry) => sum + auditEntryBytes(entry), 0);
  const size = statements.length + entries.length;
  const budget = await planWrite(ctx, { owner_id, counts_text, audit_bytes, statements: size });
  const guards = [...(options.guards ?? []), ...budget.guards];
  const batch = [
    // First, so that the second of two equal requests learns that, and not that what it wants is taken already.
    ...recordIdempotentResult(ctx, options.audit.target_id, options.answer),
    ...guards.map((guard) => failBatchWhen(ctx.db, guard.name, guard.when)),
    ...budget.statements,
    ...statements,
    entries.length > 1 ? insertAudits(ctx.db, entries) : insertAudit(ctx.db, entry),
  ];
  try {
    const results = await runBatch(ctx.db, [...batch, ...reads]);
    budget.settle(rowsWrittenBy(results));
    return results.slice(batch.length);
  } catch (error) {
    const isFull = violates(error, guardConstraint("stored_text"));
    if (isFull && (await correctedStoredText(ctx, options.audit.owner_id))) return commit(ctx, statements, options);
    if (violates(error, "idempotency_keys.user_id")) throw requestInProgress();
    const broken = guards.find((guard) => violates(error, guardConstraint(guard.name)));
    if (broken) throw broken.error;
    for (const [column, conflict] of Object.entries(options.conflicts ?? {})) {
      if (violates(error, column)) throw conflict;
    }
    throw error;
  }
}

/** Reports of agents are too many for the audit log; their texts count for the account as those of people do. */
export async function commitReports(
  ctx: RequestScope,
  ownerId: string,
  statements: readonly Statement[],
): Promise<void> {
  const write = { owner_id: ownerId, counts_text: true, audit_bytes: 0, statements: statements.length };
  const budget = await planWrite(ctx, write);
  const guards = budget.guards.map(({ name, when }) => failBatchWhen(ctx.db, name, when));
  try {
    budget.settle(rowsWrittenBy(await runBatch(ctx.db, [...guards, ...budget.statements, ...statements])));
  } catch (error) {
    const isFull = violates(error, guardConstraint("stored_text"));
    if (isFull && (await correctedStoredText(ctx, ownerId))) return commitReports(ctx, ownerId, statements);
    throw budget.guards.find(({ name }) => violates(error, guardConstraint(name)))?.error ?? error;
  }
}

function auditRecord(ctx: RequestScope, subject: AuditSubject): AuditRecord {
  if (ctx.auditEvent === null) throw new Error("this endpoint writes, but names no audit event");
  return {
    id: subject.once === undefined ? newId() : idFrom("audit", ctx.auditEvent, subject.once),
    owner_id: subject.owner_id,
    event_type: ctx.auditEvent,
    ...actor(ctx),
    monitor_id: subject.monitor_id ?? null,
    status_page_id: subject.status_page_id ?? null,
    target_type: subject.target_type,
    target_id: subject.target_id,
    summary: subject.summary,
    data: boundAuditData(subject.data ?? {}),
    ip: ctx.ip,
    created_at: ctx.now,
  };
}

function actor(ctx: RequestScope): Pick<AuditRecord, "actor_type" | "actor_id" | "actor_name"> {
  const { principal } = ctx;
  if (principal.kind === "agent") {
    return { actor_type: "agent", actor_id: principal.agent.id, actor_name: principal.agent.name };
  }
  if (principal.kind === "install") {
    return { actor_type: "user", actor_id: principal.grant.created_by, actor_name: "install token" };
  }
  if (principal.kind !== "user") return { actor_type: "system", actor_id: null, actor_name: "system" };
  if (principal.token_id === null) {
    return { actor_type: "user", actor_id: principal.user_id, actor_name: principal.email };
  }
  return { actor_type: "token", actor_id: principal.token_id, actor_name: principal.email };
}
