/** How the reference of the API shows what a parameter, a body or an answer consists of. */

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
}

/** What a schema says besides its members, and these below. */
export function SchemaBody({ schema }: { schema: Schema }) {
  const members = membersOf(schema);
  return (
    <>
      {members === undefined || schema.description !== undefined ? (
        <p>
          <TypeName schema={schema} /> <Limits schema={schema} /> <Text text={schema.description} />
        </p>
      ) : null}
      <Members schema={schema} />
    </>
  );
}

/** Of an object, or of the entries of a list. */
function membersOf(schema: Schema): Schema | undefined {
  if (schema.properties !== undefined) return schema;
  return schema.items === undefined ? undefined : membersOf(schema.items);
}

function Members({ schema }: { schema: Schema }) {
  const members = membersOf(schema);
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].filter(
    (each) => membersOf(each) !== undefined,
  );
  return (
    <>
      {members === undefined ? null : (
        <dl>
          {Object.entries(members.properties ?? {}).map(([name, member]) => (
            <Member name={name} isRequired={members.required?.includes(name) ?? false} schema={member} />
          ))}
        </dl>
      )}
      {choices.map((choice, n) => (
        <>
          {n === 0 ? null : <p class="quiet">or</p>}
          <Members schema={choice} />
        </>
      ))}
    </>
  );
}

interface MemberProps {
  name: string;
  isRequired: boolean;
  /** Of a parameter: path, query, header. */
  place?: string;
  schema: Schema;
}

export function Member({ name, isRequired, place, schema }: MemberProps) {
  return (
    <div>
      <dt>
        <code>{name}</code> {isRequired ? <span class="tag">required</span> : null}
      </dt>
      <dd>
        <p>
          {place === undefined ? null : <span class="quiet">in {place}, </span>}
          <TypeName schema={schema} /> <Limits schema={schema} /> <Text text={schema.description} />
        </p>
        <Members schema={schema} />
      </dd>
    </div>
  );
}

function TypeName({ schema }: { schema: Schema }) {
  const { $ref, type, format, items, anyOf, oneOf, allOf, additionalProperties } = schema;
  if ($ref !== undefined) {
    const name = nameOf($ref);
    return <a href={`#object-${name}`}>{name}</a>;
  }
  const choices = anyOf ?? oneOf ?? allOf;
  if (choices !== undefined) {
    return (
      <>
        {choices.map((each, n) => (
          <>
            {n === 0 ? "" : allOf ? " and " : " or "}
            <TypeName schema={each} />
          </>
        ))}
      </>
    );
  }
  if (items !== undefined) {
    return (
      <>
        list of <TypeName schema={items} />
      </>
    );
  }
  const named = [type ?? []].flat().join(" or ");
  if (typeof additionalProperties === "object") {
    return (
      <>
        object whose members are <TypeName schema={additionalProperties} />
      </>
    );
  }
  return (
    <span class="type">
      {named === "" ? (schema.const === undefined ? "anything" : "constant") : named}
      {format === undefined ? "" : ` (${format})`}
    </span>
  );
}

/** The values that are allowed, and what stands where none is given. */
function Limits({ schema }: { schema: Schema }) {
  const said = [
    bounds([schema.minimum, schema.maximum], ""),
    bounds([schema.minLength, schema.maxLength], " characters"),
    bounds([schema.minItems, schema.maxItems], " entries"),
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ].filter((each) => each !== "");
  const values = schema.const === undefined ? (schema.enum ?? schema.items?.enum ?? []) : [schema.const];
  return (
    <>
      {said.length === 0 ? null : <span class="quiet">{said.join(", ")}</span>}
      {values.map((value) => (
        <>
          {" "}
          <code>{JSON.stringify(value)}</code>
        </>
      ))}
      {schema.pattern === undefined ? null : (
        <>
          {" "}
          <code>{schema.pattern}</code>
        </>
      )}
    </>
  );
}

/** What a whole number may be at all is no limit to name. */
function bounds([from, to]: readonly (number | undefined)[], unit: string): string {
  const [min, max] = [from, to].map((each) => (Math.abs(each ?? 0) >= Number.MAX_SAFE_INTEGER ? undefined : each));
  if (min !== undefined && max !== undefined) return min === max ? `${min}${unit}` : `${min} to ${max}${unit}`;
  if (max !== undefined) return `at most ${max}${unit}`;
  return min === undefined || min === 0 ? "" : `at least ${min}${unit}`;
}

/** Names in backticks are code; that is all of Markdown that descriptions use. */
export function Text({ text = "" }: { text?: string | undefined }) {
  return <>{text.split("`").map((part, n) => (n % 2 === 1 ? <code>{part}</code> : part))}</>;
}

const nameOf = (ref: string) => ref.slice(ref.lastIndexOf("/") + 1);
