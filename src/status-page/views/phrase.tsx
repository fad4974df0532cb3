import type { Child } from "hono/jsx";
import type { Message } from "../../language/message.ts";

/** A message with elements in it, in the order that its language wants. */
export function Phrase<Arguments>({
  of,
  parts,
}: {
  of: Message<Arguments>;
  parts: { [Name in keyof Arguments]: Arguments[Name] | Child };
}) {
  return <>{of.parts<Child>(parts)}</>;
}
