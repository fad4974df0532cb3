const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** XML has no control characters, not even escaped. */
export function escapeXml(text: string): string {
  const spoken = text.toWellFormed().replace(/\p{Cc}+/gu, " ");
  return spoken.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
}
