import { z } from "zod";
import { Id, Instant } from "./common.ts";

/** One member of a resource: its schema in requests and answers, its column, and who gives it its value. */
export interface Field {
  schema: z.ZodType;
  /** What it is without a value: where absent or null in a creation, or null in a change. Required without one. */
  default?: unknown;
  /** Who sets it: a creation or change (without this), the creation alone, or the service. */
  set_by?: "creation" | "service";
  /** Its column where that has another name. */
  column?: string;
}
export type Fields = Readonly<Record<string, Field>>;

type Optional<F extends Field> = z.ZodOptional<z.ZodNullable<F["schema"]>>;
type CreateShape<All extends Fields> = {
  -readonly [Name in keyof All as All[Name] extends { set_by: "service" } ? never : Name]: All[Name] extends {
    default: unknown;
  }
    ? Optional<All[Name]>
    : All[Name]["schema"];
};
type ChangeShape<All extends Fields> = {
  -readonly [Name in keyof All as All[Name] extends { set_by: string } ? never : Name]: All[Name] extends {
    default: unknown;
  }
    ? Optional<All[Name]>
    : z.ZodOptional<All[Name]["schema"]>;
};
type ShownShape<All extends Fields> = { id: typeof Id; created_at: typeof Instant; updated_at: typeof Instant } & {
  -readonly [Name in keyof All]: All[Name] extends { default: null }
    ? z.ZodNullable<All[Name]["schema"]>
    : All[Name]["schema"];
};

export interface Schemas<All extends Fields> {
  Create: z.ZodObject<CreateShape<All>>;
  Change: z.ZodObject<ChangeShape<All>>;
  Shown: z.ZodObject<ShownShape<All>>;
}

export interface Bodies<All extends Fields> {
  Creation: z.infer<Schemas<All>["Create"]>;
  Change: z.infer<Schemas<All>["Change"]>;
  Shown: z.infer<Schemas<All>["Shown"]>;
}

/** The schemas of a resource's bodies, under its name in the description of the API. */
export function schemasOf<All extends Fields>(name: string, fields: All): Schemas<All> {
  const all = Object.entries<Field>(fields);
  const shape = (kept: typeof all, schemaOf: (field: Field) => z.ZodType) =>
    z.object(Object.fromEntries(kept.map(([member, field]) => [member, schemaOf(field)])));
  const given = all.filter(([, { set_by }]) => set_by !== "service");
  const changed = all.filter(([, { set_by }]) => set_by === undefined);
  const shown = shape(all, (field) => (field.default === null ? field.schema.nullable() : field.schema));
  const schemas = {
    Create: shape(given, (field) => (hasDefault(field) ? withDefault(field) : field.schema)).meta({
      id: `${name}Create`,
    }),
    Change: shape(changed, (field) => (hasDefault(field) ? withDefault(field) : field.schema.optional())).meta({
      id: `${name}Update`,
    }),
    Shown: z.object({ id: Id, ...shown.shape, created_at: Instant, updated_at: Instant }).meta({ id: name }),
  };
  // Object.fromEntries forgets which member has which schema; the types above repeat what the lines above do.
  return schemas as unknown as Schemas<All>;
}

const hasDefault = (field: Field) => field.default !== undefined;

function withDefault({ schema, default: fallback }: Field): z.ZodType {
  const optional = schema.nullish();
  return fallback === null ? optional : optional.meta({ description: `default ${String(fallback)}` });
}
