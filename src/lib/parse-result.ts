/** What reading a person's text gave: the value, or one clause that says what is wrong with it. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; reason: string };
