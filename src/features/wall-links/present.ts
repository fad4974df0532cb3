import type { z } from "zod";
import type { WallLink } from "../../contract/wall-link.ts";
import type { WallLinkRecord } from "../../data/wall-links/read.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";

export function presentWallLink(link: WallLinkRecord): z.output<typeof WallLink> {
  const { id, name } = link;
  return { id, name, last_shown_at: toIsoOrNull(link.last_shown_at), created_at: toIso(link.created_at) };
}
