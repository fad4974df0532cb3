import { isRecord } from "../../lib/is-record.ts";

interface Unread {
  subject: string;
  path: string;
}

/**
 * A record of another tool that knows what of it was read. What no reader asked for, or holds another kind of value
 * than was asked for, is found by `unread`: a field that a later version adds cannot vanish.
 */
export class ForeignRecord {
  readonly #fields: Record<string, unknown>;
  readonly #path: string;
  readonly #read = new Set<string>();
  readonly #records = new Map<string, ForeignRecord>();
  /** Of whom remarks speak; null: of the record that contains this one. */
  subject: string | null = null;

  constructor(fields: Record<string, unknown>, path = "") {
    this.#fields = fields;
    this.#path = path;
  }

  /** The value of any kind, as read. */
  take(name: string): unknown {
    this.#read.add(name);
    return this.#peek(name);
  }

  /** Undefined where there is none, or an empty one. */
  text(name: string): string | undefined {
    const value = this.#peek(name);
    if (!isScalar(value)) return undefined;
    this.#read.add(name);
    return value === "" ? undefined : String(value);
  }

  number(name: string): number | undefined {
    const value = this.#peek(name);
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
    this.#read.add(name);
    return number;
  }

  /** Also as databases and query strings write it. */
  flag(name: string): boolean | undefined {
    const value = this.#peek(name);
    const known = [true, 1, "1", "true"].includes(value as never);
    if (!known && ![false, 0, "0", "false"].includes(value as never)) return undefined;
    this.#read.add(name);
    return known;
  }

  texts(name: string): string[] {
    const value = this.#peek(name);
    if (!Array.isArray(value) || !value.every(isScalar)) return [];
    this.#read.add(name);
    return value.map(String);
  }

  /** Texts by name. */
  dictionary(name: string): Record<string, string> {
    const value = this.#peek(name);
    if (!isRecord(value) || !Object.values(value).every(isScalar)) return {};
    this.#read.add(name);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, String(item)]));
  }

  record(name: string): ForeignRecord | undefined {
    const value = this.#peek(name);
    return isRecord(value) ? this.#child(name, value) : undefined;
  }

  records(name: string): ForeignRecord[] {
    const value = this.#peek(name);
    if (!Array.isArray(value)) return [];
    return value.flatMap((item, n) => (isRecord(item) ? [this.#child(`${name}[${n}]`, item)] : []));
  }

  names(): string[] {
    return Object.keys(this.#fields);
  }

  /** Names things that mean nothing outside the other tool, such as its own ids. */
  ignore(...names: string[]): void {
    for (const name of names) this.#read.add(name);
  }

  ignoreAll(): void {
    this.ignore(...this.names());
  }

  /** Where every value stands that was not read, by the subject that it belongs to, seen from the record of that subject. */
  *unread(subject = this.subject ?? "", base = this.#path): Generator<Unread> {
    for (const [name, value] of Object.entries(this.#fields)) {
      if (!this.#read.has(name)) yield* this.#unreadIn(name, value, { subject, base });
    }
  }

  *#unreadIn(name: string, value: unknown, { subject, base }: { subject: string; base: string }): Generator<Unread> {
    const record = this.#records.get(name);
    const path = this.#pathOf(name);
    if (record?.subject) yield* record.unread();
    else if (record) yield* record.unread(subject, base);
    else if (Array.isArray(value)) {
      for (const [n, item] of value.entries()) yield* this.#unreadIn(`${name}[${n}]`, item, { subject, base });
    } else if (isRecord(value)) yield* new ForeignRecord(value, path).unread(subject, base);
    else if (value !== null && value !== undefined && value !== "") {
      yield { subject, path: base === "" ? path : path.slice(base.length + 1) };
    }
  }

  #peek(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
  }

  #child(name: string, fields: Record<string, unknown>): ForeignRecord {
    const known = this.#records.get(name);
    if (known) return known;
    const record = new ForeignRecord(fields, this.#pathOf(name));
    this.#records.set(name, record);
    return record;
  }

  #pathOf(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
