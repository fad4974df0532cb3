import { z } from "zod";
import { Id, Instant } from "./common.ts";

/** The lists of the dashboard that have a filter, by the last word of their address. */
export const SAVED_LISTS = ["monitors", "incidents", "alerts", "rules", "audit"] as const;
export type SavedList = (typeof SAVED_LISTS)[number];

/** Of one person: as many as a column shows without hiding what is below. */
export const SAVED_VIEWS_MAX = 30;
const NAME_MAX = 60;
const QUERY_MAX = 500;

/** Where the list begins is no part of what is saved. */
function withoutPlace(query: string): string {
  const params = new URLSearchParams(query);
  params.delete("offset");
  return params.toString().replaceAll("%2C", ",");
}

export const SavedViewCreate = z
  .object({
    name: z.string().trim().min(1).max(NAME_MAX),
    list: z.enum(SAVED_LISTS),
    query: z.string().max(QUERY_MAX).transform(withoutPlace).meta({
      description: "filter and order as in the address of the list",
      example: "status=down,paused&sort=since",
    }),
  })
  .meta({ id: "SavedViewCreate" });
export type SavedViewCreate = z.infer<typeof SavedViewCreate>;

export const SavedView = z
  .object({
    id: Id,
    name: z.string(),
    list: z.enum(SAVED_LISTS),
    query: z.string(),
    url: z.string().meta({ description: "its address in the dashboard, below the root" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "SavedView", description: "a list of the dashboard with filter and order" });
export type SavedView = z.output<typeof SavedView>;
