import { and, eq, sql } from "drizzle-orm";
import type { SlaFormerKind } from "../../contract/sla.ts";
import type { Db, Statement } from "../db.ts";
import type { SlaPolicyRecord, SlaTargetRecord } from "./read.ts";
import { slaAssignments, slaFormerValues, slaPolicies, slaTargets } from "./table.ts";

export function insertSlaPolicy(db: Db, policy: SlaPolicyRecord): Statement {
  return db.insert(slaPolicies).values(policy);
}

type PolicyChange = Pick<SlaPolicyRecord, "id" | "owner_id"> & Partial<SlaPolicyRecord>;

export function updateSlaPolicy(db: Db, { id, owner_id, ...changed }: PolicyChange): Statement {
  return db
    .update(slaPolicies)
    .set(changed)
    .where(and(eq(slaPolicies.id, id), eq(slaPolicies.owner_id, owner_id)));
}

/** Pages that it was assigned to have none afterwards. */
export function deleteSlaPolicy(db: Db, { id, owner_id }: SlaPolicyRecord): Statement {
  return db.delete(slaPolicies).where(and(eq(slaPolicies.id, id), eq(slaPolicies.owner_id, owner_id)));
}

export function assignSlaPolicy(db: Db, pageId: string, policyId: string | null, now: number): Statement {
  if (policyId === null) return db.delete(slaAssignments).where(eq(slaAssignments.status_page_id, pageId));
  return db
    .insert(slaAssignments)
    .values({ status_page_id: pageId, policy_id: policyId, created_at: now, updated_at: now })
    .onConflictDoUpdate({ target: slaAssignments.status_page_id, set: { policy_id: policyId, updated_at: now } });
}

/** Exactly these targets hold afterwards. */
export function replaceSlaTargets(db: Db, pageId: string, targets: readonly SlaTargetRecord[]): Statement[] {
  const rows = JSON.stringify(targets);
  return [
    db.delete(slaTargets).where(eq(slaTargets.status_page_id, pageId)),
    // One statement for any number: D1 takes 100 parameters.
    db.insert(slaTargets).select(
      sql`SELECT value ->> 'id', value ->> 'status_page_id', value ->> 'monitor_id', value ->> 'target_percentage',
        value ->> 'created_at', value ->> 'updated_at' FROM json_each(${rows})`,
    ),
  ];
}

interface FormerValue {
  status_page_id: string;
  kind: SlaFormerKind;
  monitor_id?: string;
  value: unknown;
  now: number;
}

/** Keeps for reports what held until now; of two changes in one moment the first one's. */
export function insertFormerValue(
  db: Db,
  { status_page_id, kind, monitor_id = "", value, now }: FormerValue,
): Statement {
  return db
    .insert(slaFormerValues)
    .values({ status_page_id, kind, monitor_id, until_at: now, value })
    .onConflictDoNothing();
}

/** The same of a policy, for all pages that it is assigned to. */
export function insertFormerPolicy(db: Db, policy: SlaPolicyRecord, now: number): Statement {
  return db
    .insert(slaFormerValues)
    .select(
      sql`SELECT a.status_page_id, 'policy', '', ${now}, ${JSON.stringify(policy)}
        FROM ${slaAssignments} AS a WHERE a.policy_id = ${policy.id}`,
    )
    .onConflictDoNothing();
}
