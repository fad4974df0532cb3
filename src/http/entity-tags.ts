/** Compression on the way makes tags weak, which does not matter here. */
export function isKnownTo(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const known = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*");
}
