import { toIso } from "../../platform/clock.ts";
import type { DeactivatedUser } from "./service.ts";

export function presentDeactivated({ id, email, name, deactivated_at }: DeactivatedUser) {
  return { id, email, name, deactivated_at: toIso(deactivated_at) };
}
