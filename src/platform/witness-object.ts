import type { WitnessRpc } from "../contract/witness-object.ts";
import type { Env } from "./env.ts";

/** The one witness of this installation. */
export function witnessObject(env: Env): WitnessRpc {
  return env.WITNESS.getByName("witness");
}
