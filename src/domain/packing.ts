/** What holds monitors up to a number: a shard, or a group of the slow lane. */
export interface Container {
  id: string;
  size: number;
}

export interface Move {
  from: string;
  to: string;
  count: number;
}

/**
 * Leaves as few containers as their monitors need: the smallest are emptied into the largest, completely. Nothing moves
 * where that frees no container.
 */
export function planPacking(containers: readonly Container[], capacity: number): Move[] {
  const sparse = containers
    .filter(({ size }) => size > 0 && size < capacity)
    .toSorted((a, b) => b.size - a.size || (a.id < b.id ? -1 : 1));
  const needed = Math.ceil(sparse.reduce((sum, { size }) => sum + size, 0) / capacity);
  const kept = sparse.slice(0, needed).map(({ id, size }) => ({ id, room: capacity - size }));
  return sparse
    .slice(needed)
    .toReversed()
    .flatMap(({ id: from, size }) => {
      const moves: Move[] = [];
      for (let left = size; left > 0; ) {
        const receiver = kept.find(({ room }) => room > 0);
        if (!receiver) return [];
        const count = Math.min(left, receiver.room);
        receiver.room -= count;
        left -= count;
        moves.push({ from, to: receiver.id, count });
      }
      return moves;
    });
}
