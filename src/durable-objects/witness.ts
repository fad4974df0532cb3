import { DurableObject } from "cloudflare:workers";
import type { Ticked, WitnessRpc } from "../contract/witness-object.ts";
import { openDb, runBatch } from "../data/db.ts";
import { findInstallation } from "../data/installation/read.ts";
import { upsertInstallation } from "../data/installation/write.ts";
import { decideEpoch, type Tick } from "../domain/epoch.ts";
import type { Env } from "../platform/env.ts";
import { newId } from "../platform/ids.ts";

const KEY = "tick";

/**
 * Stores every tick in D1 and then here. D1 without the tick that is stored here was restored; without a tick here the
 * objects were lost. Either begins an epoch, in which each monitor's object and its row are reconciled.
 */
export class WitnessObject extends DurableObject<Env> implements WitnessRpc {
  tick(now: number): Promise<Ticked> {
    // Two ticks at once would each miss what the other one stores.
    return this.ctx.blockConcurrencyWhile(async () => {
      const db = openDb(this.env.DB);
      const stored = (await findInstallation(db)) ?? null;
      const witnessed = this.ctx.storage.kv.get<Tick>(KEY) ?? null;
      const { next, isNew, restored } = decideEpoch(witnessed, stored, { now, fresh: newId(now) });
      await runBatch(db, [upsertInstallation(db, next)]);
      this.ctx.storage.kv.put<Tick>(KEY, { epoch: next.epoch, ticks: next.ticks });
      return { epoch: next.epoch, went_back: isNew && (stored !== null || witnessed !== null), restored };
    });
  }
}
