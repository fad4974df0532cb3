/** Numbers that look like chance and are the same at every run: from 0 to below 1, by a name and a number. */
export function chance(name: string, n: number): number {
  let hash = 2166136261;
  const text = `${name}/${n}`;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  // The last characters hardly reach the high bits, so those are mixed once more.
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
  hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
