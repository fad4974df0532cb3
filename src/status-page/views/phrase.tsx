import type { Child } from "hono/jsx";

/** A text whose `{name}` are elements, in the order that its language wants. */
export function Phrase({ text, parts }: { text: string; parts: Record<string, Child> }) {
  return <>{text.split(/\{(\w+)\}/).map((piece, n) => (n % 2 === 0 ? piece : parts[piece]))}</>;
}
