/** Half-open, epoch ms. */
export interface Span {
  from_at: number;
  to_at: number;
}

/** In order, without overlaps. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from_at - b.from_at)) {
    const last = merged.at(-1);
    if (span.to_at <= span.from_at) continue;
    if (last && span.from_at <= last.to_at) last.to_at = Math.max(last.to_at, span.to_at);
    else merged.push({ ...span });
  }
  return merged;
}

export interface Piece extends Span {
  isInside: boolean;
}

/** The pieces of a span that lie inside and outside of windows, in order. */
export function splitAt(windows: readonly Span[], { from_at, to_at }: Span): Piece[] {
  const pieces: Piece[] = [];
  let at = from_at;
  for (const window of windows) {
    if (window.to_at <= at) continue;
    if (window.from_at >= to_at) break;
    if (window.from_at > at) pieces.push({ from_at: at, to_at: window.from_at, isInside: false });
    const begin = Math.max(at, window.from_at);
    at = Math.min(window.to_at, to_at);
    if (at > begin) pieces.push({ from_at: begin, to_at: at, isInside: true });
  }
  if (at < to_at) pieces.push({ from_at: at, to_at, isInside: false });
  return pieces;
}
