import { z } from "zod";
import { Id, Instant, Name } from "./common.ts";

/** Of one person. */
export const WALL_LINKS_MAX = 20;

export const WallLinkCreate = z
  .object({ name: Name.meta({ description: "of the screen that it is for" }) })
  .meta({ id: "WallLinkCreate" });
export type WallLinkCreate = z.infer<typeof WallLinkCreate>;

export const WallLink = z
  .object({
    id: Id,
    name: z.string(),
    last_shown_at: Instant.nullable().meta({ description: "may lag by an hour" }),
    created_at: Instant,
  })
  .meta({ id: "WallLink", description: "an address that shows a wall display without signing in" });

export const CreatedWallLink = WallLink.extend({
  url: z.url().meta({ description: "a secret, shown in this answer only" }),
}).meta({ id: "CreatedWallLink" });
