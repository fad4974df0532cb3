import type { Scope } from "../access/scope.ts";
import type { Statement } from "../data/db.ts";
import { type LoadedEscalation, loadMassFailure } from "../data/escalations/read.ts";
import { formBundle, hasBundle, isBundleOver } from "../data/escalations/write.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { isMassFailure, MASS_FAILURE_MS } from "../domain/escalation-bundle.ts";

/**
 * Many outages of a page at once are one mass failure. The first escalation that begins after they became many notifies of
 * all of them, those that notified already included; later ones join it while nobody has acknowledged it.
 */
export interface Bundling {
  /** As it is with the subjects of its bundle. */
  loaded: LoadedEscalation;
  /** The bundle that the escalation belongs to. */
  bundle_id: string | null;
  /** In the batch that stores the escalation. */
  statements: Statement[];
}

export async function bundleMassFailure({ db, now }: Scope, loaded: LoadedEscalation): Promise<Bundling> {
  const { escalation } = loaded;
  const alone = { loaded, bundle_id: escalation.bundle_id, statements: [] };
  if (escalation.state !== null || !escalation.is_automatic || escalation.bundle_id !== null) return alone;
  const since = now - MASS_FAILURE_MS;
  const { outages, monitors } = await loadMassFailure(db, { status_page_id: escalation.status_page_id, since });
  // Each policy notifies of its own.
  const own = outages.filter(({ policy_id }) => policy_id === escalation.policy_id);
  const leader = own.find(
    ({ escalation_id, bundled_at, state }) =>
      escalation_id !== escalation.id && bundled_at !== null && bundled_at > since && state?.status === "active",
  );
  if (leader) {
    const isGone = failBatchWhen(db, "stale", isBundleOver(leader.escalation_id));
    return { loaded, bundle_id: leader.escalation_id, statements: [isGone] };
  }
  if (!isMassFailure({ outages: outages.length, monitors })) return alone;
  const bundled = own.filter(
    ({ escalation_id, is_over, state, bundled_at }) =>
      escalation_id !== escalation.id &&
      !is_over &&
      bundled_at === null &&
      (state === null || state.status === "active"),
  );
  const member_ids = bundled.map(({ escalation_id }) => escalation_id);
  return {
    loaded: { ...loaded, bundled },
    bundle_id: null,
    statements: [
      failBatchWhen(db, "stale", hasBundle(escalation, since)),
      ...formBundle(db, { leader_id: escalation.id, member_ids, now }),
    ],
  };
}
