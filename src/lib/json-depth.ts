/** Nesting of JSON from outside. */
export const JSON_DEPTH_MAX = 32;

/** Counts brackets outside strings before parsing, because recursive validators would overflow on what parses fine. */
export function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0;
  let inString = false;
  for (let n = 0; n < text.length; n++) {
    const char = text[n];
    if (inString) {
      if (char === "\\") n++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") {
      depth++;
      if (depth > depthMax) return true;
    } else if (char === "}" || char === "]") depth--;
  }
  return false;
}
