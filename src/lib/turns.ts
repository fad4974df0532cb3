/** Work of one key runs one after the other, in the order in which it asked; work of other keys beside it. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const turn = before ? before.then(work, work) : work();
    this.#last.set(key, turn);
    return turn;
  }
}
