import { runBatch, type Statement } from "../data/db.ts";
import { exceedsStoredText, findStoredText, measureStoredText } from "../data/stored-texts/read.ts";
import { addStoredText, correctStoredText } from "../data/stored-texts/write.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import type { Guard } from "./commit.ts";
import { getOwnerPlan } from "./owners.ts";
import { capError, capOf } from "./plan-caps.ts";
import type { RequestScope } from "./scope.ts";

/** Measuring reads everything that the account has written. */
const MEASURED_EVERY_MS = MINUTE_MS;

/** What a request adds to the texts of an account, and the guard that keeps them within its plan. */
export async function planStoredText(
  ctx: RequestScope,
  ownerId: string,
): Promise<{ statements: Statement[]; guards: Guard[] }> {
  const bytes = ctx.bodyBytes;
  if (bytes === 0) return { statements: [], guards: [] };
  const plan = await getOwnerPlan(ctx, ownerId);
  const max = capOf(ctx.settings, "stored_text", plan);
  if (max === null) return { statements: [], guards: [] };
  return {
    statements: [addStoredText(ctx.db, ownerId, bytes)],
    guards: [
      {
        name: "stored_text",
        when: exceedsStoredText(ownerId, { bytes, max }),
        error: capError("stored_text", { plan, max }),
      },
    ],
  };
}

/** After a refusal: whether less is stored than was counted, because texts were replaced or deleted. */
export async function correctedStoredText(ctx: RequestScope, ownerId: string): Promise<boolean> {
  const counted = await findStoredText(ctx.db, ownerId);
  if (!counted || ctx.now - counted.measured_at < MEASURED_EVERY_MS) return false;
  const excess = counted.bytes - (await measureStoredText(ctx.db, ownerId));
  await runBatch(ctx.db, [correctStoredText(ctx.db, ownerId, { excess, now: ctx.now })]);
  return excess > 0;
}
