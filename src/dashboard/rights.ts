import { findMembership } from "../access/pages.ts";
import type { RequestScope } from "../access/scope.ts";
import { hasPermission, type Membership, OWNERSHIP, type Permission } from "../domain/roles.ts";
import { listPagesSharedWithMe } from "../features/members/service.ts";
import { listMyPages } from "../features/status-pages/service.ts";

/** More pages than this are not offered in a choice; the API still accepts their ids. */
const CHOICES_MAX = 1000;

export interface PageChoice {
  id: string;
  name: string;
  slug: string;
  url: string;
  is_public: boolean;
  timezone: string;
  /** Incidents are reported on it; otherwise none can be opened. */
  has_incidents: boolean;
  membership: Membership;
}

/** The status pages that the caller sees, with what they may do on each. */
export async function listPageChoices(ctx: RequestScope, right: Permission = "page.read"): Promise<PageChoice[]> {
  const all = { limit: CHOICES_MAX, offset: 0 };
  const [visible, shared] = await Promise.all([listMyPages(ctx, all), listPagesSharedWithMe(ctx, all)]);
  const memberships = new Map(
    shared.views.map(({ page, role, capabilities }): [string, Membership] => [page.id, { role, capabilities }]),
  );
  return visible.views
    .map(({ page: { id, name, slug, is_public, timezone, incident_system_enabled: has_incidents }, url }) => {
      return { id, name, slug, url, is_public, timezone, has_incidents, membership: memberships.get(id) ?? OWNERSHIP };
    })
    .filter(({ membership }) => hasPermission(membership, right));
}

/** Whether a view offers what needs this right; the endpoint behind it decides again. */
export async function mayDo(
  ctx: RequestScope,
  object: { owner_id: string; status_page_id: string | null },
  right: Permission,
): Promise<boolean> {
  const membership = await findMembership(ctx, object);
  return membership !== undefined && hasPermission(membership, right);
}
