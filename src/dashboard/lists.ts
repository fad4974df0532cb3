import { z } from "zod";
import type { ListPlace } from "./components/pieces.tsx";

/** Entries that a view shows at once; the others have addresses of their own. */
export const SHOWN_MAX = 50;

/** Where a list begins, in an address. What is no place in a list is its beginning. */
export const ListOffset = z.coerce.number().int().min(0).max(10_000).default(0).catch(0);

/** Of a list that is read in parts. */
export const partAt = (offset: number) => ({ limit: SHOWN_MAX, offset });

/** A part of a list that is loaded as a whole, because its entries name each other. */
export function partOf<Entry>(list: readonly Entry[], offset: number): { shown: readonly Entry[]; place: ListPlace } {
  const place = { total: list.length, limit: SHOWN_MAX, offset };
  return { shown: list.slice(offset, offset + SHOWN_MAX), place };
}

/** The address of a view; members without a value and offsets of 0 are left out, so that addresses stay short. */
export function addressWith(path: string, members: Record<string, string | number | undefined>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value) params.set(name, String(value));
  const query = params.toString().replaceAll("%2C", ",");
  return query === "" ? path : `${path}?${query}`;
}
