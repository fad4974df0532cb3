/** FNV-1a, 32 bits: spreads keys evenly; not for secrets. http://www.isthe.com/chongo/tech/comp/fnv/ */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193) >>> 0;
  return hash;
}
