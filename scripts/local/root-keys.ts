import { randomBytes } from "node:crypto";
import { formatRootKeys, parseRootKeys, type RootKey } from "../../src/platform/root-keys.ts";
import { Refusal } from "./command-error.ts";

/** A new key before those that a root secret has. */
export function addRootKey(rootSecret: string): { rootSecret: string; id: number } {
  const keys = keysOf(rootSecret);
  const id = Math.max(...keys.map((key) => key.id)) + 1;
  const secret = randomBytes(32).toString("base64url");
  const added = formatRootKeys([{ id, secret }, ...keys]);
  keysOf(added);
  return { rootSecret: added, id };
}

export function dropRootKey(rootSecret: string, id: number): string {
  const [current, ...earlier] = keysOf(rootSecret);
  if (current?.id === id) throw new Refusal(`key ${id} is the current one: add another one first`);
  if (!earlier.some((key) => key.id === id)) throw new Refusal(`there is no key ${id}`);
  return formatRootKeys([current, ...earlier].filter((key) => key !== undefined && key.id !== id) as RootKey[]);
}

/** Whether everything that `theirs` sealed can be opened with `ours`. */
export function holdsKeysOf(ours: string, theirs: string): boolean {
  const known = keysOf(ours);
  return keysOf(theirs).every(({ id, secret }) => known.some((key) => key.id === id && key.secret === secret));
}

function keysOf(rootSecret: string): readonly RootKey[] {
  const parsed = parseRootKeys(rootSecret);
  if (!parsed.ok) throw new Refusal(`ROOT_SECRET: ${parsed.reason}`);
  return parsed.value.all;
}
