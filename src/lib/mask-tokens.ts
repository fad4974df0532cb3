const MASK = "***";

/** What follows such a name, in JSON, YAML, headers or a query, is a secret. */
const NAMED =
  /((?:[\w-]*(?:secret|passw(?:or)?d|passphrase|pwd|token|credential|api[-_]?key|access[-_]?key|private[-_]?key|signature|session[-_]?id)[\w-]*|(?:proxy-)?authorization|(?:set-)?cookie)["']?\s{0,4}[:=]\s{0,4}["']?)((?:bearer|basic|digest|token)\s{1,4})?[^\s"'&,;<>]{2,}/gi;

/** What is a secret by its form alone. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*/g,
  /\beyJ[\w-]{8,}\.[\w-]{2,}(?:\.[\w-]*)?/g,
  /\b(?:AKIA|ASIA|AIza)[\w-]{12,}/g,
  /\b(?:bearer|basic)\s{1,4}[\w.~+/=-]{8,}/gi,
  /\b(?:gh[opusr]|github_pat|glpat|xox[abeprs]|sk|pk|rk|npm|dop|hf|shpat|agi?|hb|mt|cal|vt)[-_][\w-]{16,}/g,
  /\b[0-9a-f]{40,}\b/gi,
  // Random letters of both cases and digits, as keys are; names and UUIDs have no capitals or no digits.
  /(?<![\w+/-])(?=[\w+/-]{0,128}[a-z])(?=[\w+/-]{0,128}[A-Z])(?=[\w+/-]{0,128}\d)[\w+/-]{24,}={0,2}/g,
];

/** A text of another system without what looks like a credential. */
export function maskTokens(text: string): string {
  const named = text.replace(NAMED, (_, name: string, scheme = "") => `${name}${scheme}${MASK}`);
  return SHAPES.reduce((masked, shape) => masked.replace(shape, MASK), named);
}
