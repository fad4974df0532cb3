import type { z } from "zod";
import type { Secret } from "../../contract/secret.ts";
import { toIso } from "../../platform/clock.ts";
import type { ShownSecret } from "./service.ts";

export function presentSecret({ secret, monitors }: ShownSecret): z.infer<typeof Secret> {
  return {
    id: secret.id,
    name: secret.name,
    monitors: monitors.map(({ id, name }) => ({ id, name })),
    created_at: toIso(secret.created_at),
    updated_at: toIso(secret.updated_at),
  };
}
