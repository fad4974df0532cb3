import type { BackedUpObject, ObjectStateRpc } from "../contract/object-state.ts";
import { assertNever } from "../lib/assert-never.ts";
import type { Env } from "./env.ts";

/** The object of this kind and name, as backups read and write it. */
export function objectState(env: Env, { kind, name }: { kind: BackedUpObject; name: string }): ObjectStateRpc {
  switch (kind) {
    case "monitor":
      return env.MONITOR.getByName(name);
    case "prober":
      return env.PROBER.getByName(name);
    default:
      return assertNever(kind);
  }
}
