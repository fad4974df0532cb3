/** A sequence of numbers that a seed decides (splitmix32), with the draws that the simulation makes of it. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  uint32(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** From 0 up to, but without, 1. */
  fraction(): number {
    return this.uint32() / 2 ** 32;
  }

  /** A whole number of the closed range. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  happens(probability: number): boolean {
    return probability > 0 && this.fraction() < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.between(0, items.length - 1)] ?? items[0];
  }

  shuffle<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, at: this.uint32() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }

  fill(bytes: Uint8Array): void {
    for (let n = 0; n < bytes.length; n++) bytes[n] = this.uint32() & 255;
  }

  /** A sequence of its own: what is drawn from it changes nothing that is drawn from this one. */
  fork(): Random {
    return new Random(this.uint32());
  }
}
