/** As much of JSON Schema as the OpenAPI document uses. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
}

export interface Generator {
  chance(probability: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
  /** A value of the schema, or a hostile one in its place or within it. */
  value(schema: JsonSchema | undefined): unknown;
  /** Some of the members of an object. */
  some(object: object): object;
}

const NUL = String.fromCharCode(0);
const HOSTILE: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1.5, 2 ** 53 + 1, 1e308, "", "   ", "x".repeat(5_000), `a${NUL}b`, "\ud800"],
  ...[
    "👩‍👩‍👧‍👦",
    "'; DROP TABLE users; --",
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "%00",
    "{{monitor}}",
    "\u202Eabc",
  ],
  ...[
    "2026-02-30T25:61:61Z",
    "9999999-01-01T00:00:00Z",
    "http://169.254.169.254/",
    "javascript:alert(1)",
    "a,b,,",
    "*",
  ],
  ...[[], [[]], [null], {}, { "": 1 }, { length: 1e9 }, { toString: "x" }, "[]", "{", '{"__proto__":{"x":1}}'],
  ...["00000000-0000-4000-8000-000000000000", "NaN", "Infinity", "1e309", "(a+)+$", "\r\nX-Injected: 1"],
];
/** Of any value; some objects become no text by themselves. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

const DEPTH_MAX = 6;
const HOSTILITY = 0.12;

/** Mulberry32: small, seeded, and the same in every runtime. */
export function createGenerator(seed: number, schemas: Record<string, JsonSchema>): Generator {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const chance = (probability: number) => next() < probability;
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[whole(0, values.length - 1)];
    if (value === undefined && !values.includes(value as Value)) throw new Error("there is nothing to pick from");
    return value as Value;
  };
  const some = (object: object) => Object.fromEntries(Object.entries(object).filter(() => chance(0.4)));

  const make = (schema: JsonSchema | undefined, depth: number): unknown => {
    if (schema === undefined || depth > DEPTH_MAX || chance(HOSTILITY)) return pick(HOSTILE);
    if (schema.$ref) return make(schemas[schema.$ref.split("/").at(-1) ?? ""], depth);
    if ("const" in schema) return schema.const;
    if (schema.enum) return pick(schema.enum);
    const forms = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    if (forms) return make(pick(forms), depth);
    const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type;
    switch (type) {
      case "object":
        return makeObject(schema, depth);
      case "array":
        return Array.from({ length: whole(0, 3) }, () => make(schema.items, depth + 1));
      case "integer":
      case "number":
        return makeNumber(schema, type);
      case "boolean":
        return chance(0.5);
      case "string":
        return makeText(schema.format);
      case "null":
        return null;
      default:
        return pick(HOSTILE);
    }
  };
  const makeObject = ({ properties = {}, additionalProperties }: JsonSchema, depth: number) => {
    const known = Object.entries(properties).filter(() => chance(0.7));
    const made = known.map(([name, schema]) => [name, make(schema, depth + 1)]);
    const isOpen = typeof additionalProperties === "object";
    const extra =
      isOpen || chance(0.1) ? [[textOf(pick(HOSTILE)), isOpen ? make(additionalProperties, depth + 1) : 1]] : [];
    return Object.fromEntries([...made, ...extra]);
  };
  const makeNumber = ({ minimum = -10, maximum = minimum + 1000 }: JsonSchema, type: string) => {
    const edges = [minimum, maximum, minimum - 1, maximum + 1];
    const inside = whole(Math.ceil(minimum), Math.floor(Math.min(maximum, minimum + 1e6)));
    return chance(0.3) ? pick(edges) : type === "integer" ? inside : inside + 0.5;
  };
  const makeText = (format: string | undefined) => {
    switch (format) {
      case "uuid":
        return `00000000-0000-4000-8000-${String(whole(0, 1e9)).padStart(12, "0")}`;
      case "date-time":
        return new Date(whole(0, 4e12)).toISOString();
      case "email":
        return `n${whole(0, 1e6)}@example.com`;
      case "uri":
        return "https://sink.test/";
      default:
        return pick([
          "shop",
          "monitor.down",
          "https://sink.test/hook",
          "Europe/Berlin",
          "sink.test:443",
          "a",
          "1",
          "true",
        ]);
    }
  };
  return { chance, pick, some, value: (schema) => make(schema, 0) };
}
