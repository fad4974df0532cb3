/**
 * Reads of the API that a view makes for itself. The view was counted as a request, so they are not counted again: a
 * document that follows changes would otherwise use up what its reader's programs may send.
 */
const counted = new WeakSet<Request>();

export function markCounted(request: Request): Request {
  counted.add(request);
  return request;
}

export const isCounted = (request: Request): boolean => counted.has(request);
