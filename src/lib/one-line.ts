/** Joins text of users into one line, for headers and other line-based formats. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
