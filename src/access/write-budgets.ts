import { rateLimited } from "../contract/errors.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { exceedsRows, exceedsStoredText, findStoredText, measureStoredText } from "../data/stored-texts/read.ts";
import { addPastBytes, addRows, addWritten, correctStoredText, type RowBudget } from "../data/stored-texts/write.ts";
import { chargedRows, isNeverRefused } from "../domain/write-budget.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import type { Guard } from "./audited-write.ts";
import { getOwnerPlan } from "./owners.ts";
import { capError, capOf } from "./plan-caps.ts";
import type { RequestScope } from "./scope.ts";

/** Measuring reads everything that the account has written. */
const MEASURED_EVERY_MS = MINUTE_MS;

interface Write {
  owner_id: string;
  /** Whether the body of the request counts as stored text. */
  counts_text: boolean;
  audit_bytes: number;
  /** How many statements it has. */
  statements: number;
}

interface Budgeted {
  statements: Statement[];
  guards: Guard[];
  /** Adds what the write turned out to have written beyond what it was charged. */
  settle: (rowsWritten: number) => void;
}

const UNCOUNTED: Budgeted = { statements: [], guards: [], settle: () => {} };

/**
 * What a write adds to the counters of its account, and the guards that keep them within its plan. Of requests without a
 * user or agent, which their address limits, only the audit log is counted: nobody may use up a stranger's budget.
 */
export async function planWrite(ctx: RequestScope, write: Write): Promise<Budgeted> {
  const { owner_id, audit_bytes } = write;
  const budget = rowBudgetOf(ctx);
  if (budget === null)
    return { ...UNCOUNTED, statements: [addPastBytes(ctx.db, owner_id, "audit_bytes", audit_bytes)] };
  const plan = await getOwnerPlan(ctx, owner_id);
  const bytes = write.counts_text ? ctx.bodyBytes : 0;
  const textMax = bytes > 0 ? capOf(ctx.settings, "stored_text", plan) : null;
  const rowsMax = capOf(ctx.settings, budget, plan);
  if (textMax === null && rowsMax === null && capOf(ctx.settings, "audit_bytes", plan) === null) return UNCOUNTED;
  const hour_at = hourOf(ctx);
  const charged = chargedRows(write.statements);
  const guards: Guard[] = [];
  if (textMax !== null) {
    const when = exceedsStoredText(owner_id, { bytes, max: textMax });
    guards.push({ name: "stored_text", when, error: capError("stored_text", { plan, max: textMax }) });
  }
  if (rowsMax !== null && !isNeverRefused(ctx.auditEvent ?? "")) {
    const when = exceedsRows(owner_id, { budget, hour_at, max: rowsMax });
    guards.push({ name: budget, when, error: rateLimited(Math.ceil((hour_at + HOUR_MS - ctx.now) / 1000)) });
  }
  const counted = { bytes: textMax === null ? 0 : bytes, audit_bytes, hour_at };
  return {
    statements: [addWritten(ctx.db, owner_id, { ...counted, budget, rows: charged })],
    guards,
    settle: (rowsWritten) => {
      const count = rowsWritten - charged;
      if (count <= 0) return;
      ctx.defer(runBatch(ctx.db, [addRows(ctx.db, owner_id, { budget, count, hour_at })]));
    },
  };
}

const hourOf = ({ now }: Pick<RequestScope, "now">) => Math.floor(now / HOUR_MS) * HOUR_MS;

function rowBudgetOf({ principal }: RequestScope): RowBudget | null {
  if (principal.kind === "user") return "written_rows";
  return principal.kind === "agent" || principal.kind === "install" ? "agent_rows" : null;
}

/** After a refusal: whether less is stored than was counted, because texts were replaced or deleted. */
export async function correctedStoredText(ctx: RequestScope, ownerId: string): Promise<boolean> {
  const counted = await findStoredText(ctx.db, ownerId);
  if (!counted || ctx.now - counted.measured_at < MEASURED_EVERY_MS) return false;
  const excess = counted.bytes - (await measureStoredText(ctx.db, ownerId));
  await runBatch(ctx.db, [correctStoredText(ctx.db, ownerId, { excess, now: ctx.now })]);
  return excess > 0;
}
