/** What people wrote, for places where a line break would begin something else. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
