import type { Child } from "hono/jsx";
import { Member, type Schema, SchemaBody, Text } from "./api-reference-schema.tsx";
import { REFERENCE_STYLE } from "./api-reference-style.ts";
import { HtmlDocument, toHtml } from "./document.tsx";

/**
 * The description of the API as documents for people: one that lists every operation, and one for each area, with the
 * objects that it names. They are made once, with the other assets, and need no script.
 */

/** Of an OpenAPI 3.1 document, as far as it is shown. */
export interface Description {
  info: { title: string; description?: string };
  tags: readonly { name: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, OperationDescription>>>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    securitySchemes: Readonly<Record<string, { description?: string }>>;
  };
}

interface OperationDescription {
  tags: readonly string[];
  operationId: string;
  summary: string;
  description?: string;
  security: readonly Readonly<Record<string, unknown>>[];
  parameters: readonly { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Contents };
  responses: Readonly<Record<string, { description: string; content?: Contents }>>;
}

type Contents = Readonly<Record<string, { schema?: Schema; example?: unknown }>>;

interface Operation extends OperationDescription {
  method: string;
  path: string;
}

export interface ReferenceFile {
  /** Below `/docs/`; that of the list of all is `index.html`. */
  name: string;
  text: string;
}

/** Of views and forms, which browsers open and no program calls; they are left out. */
const FOR_BROWSERS = "Dashboard";

const STYLE = "reference.css";

export function renderReference(description: Description): ReferenceFile[] {
  const areas = description.tags
    .filter(({ name }) => name !== FOR_BROWSERS)
    .map(({ name }) => ({ name, operations: operationsOf(description, name) }));
  return [
    { name: STYLE, text: REFERENCE_STYLE },
    { name: "index.html", text: renderIndex(description, areas) },
    ...areas.map((area) => ({ name: `${slugOf(area.name)}.html`, text: renderArea(description, area) })),
  ];
}

const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

interface Area {
  name: string;
  operations: readonly Operation[];
}

function operationsOf({ paths }: Description, tag: string): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.tags.includes(tag) ? [{ ...operation, method: method.toUpperCase(), path }] : [],
    ),
  );
}

interface PageProps {
  title: string;
  children: Child;
}

function renderPage({ title, children }: PageProps): string {
  return toHtml(
    <HtmlDocument title={title} stylesheet={`/docs/${STYLE}`} isPlain head={<link rel="icon" href="data:," />}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <main id="main">{children}</main>
    </HtmlDocument>,
  );
}

function renderIndex({ info, components }: Description, areas: readonly Area[]): string {
  return renderPage({
    title: `${info.title} API reference`,
    children: (
      <>
        <h1>{info.title} API reference</h1>
        <p>
          <Text text={info.description} />
        </p>
        <p>
          For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).
        </p>
        <section aria-labelledby="credentials">
          <h2 id="credentials">Credentials</h2>
          <dl>
            {Object.entries(components.securitySchemes).map(([name, { description }]) => (
              <div id={`credential-${name}`}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>
                  <Text text={description} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
        {areas.map(({ name, operations }) => (
          <section aria-labelledby={slugOf(name)}>
            <h2 id={slugOf(name)}>
              <a href={`/docs/${slugOf(name)}`}>{name}</a>
            </h2>
            <ul class="operations">
              {operations.map(({ method, path, summary, operationId }) => (
                <li>
                  <a href={`/docs/${slugOf(name)}#${operationId}`}>
                    <Method method={method} /> <code>{path}</code>
                  </a>{" "}
                  <span class="quiet">{summary}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </>
    ),
  });
}

function renderArea(description: Description, { name, operations }: Area): string {
  const { schemas } = description.components;
  const named = namedSchemas(operations, schemas);
  return renderPage({
    title: `${name} | ${description.info.title} API reference`,
    children: (
      <>
        <p>
          <a href="/docs">API reference</a>
        </p>
        <h1>{name}</h1>
        <ul class="operations">
          {operations.map(({ method, path, operationId }) => (
            <li>
              <a href={`#${operationId}`}>
                <Method method={method} /> <code>{path}</code>
              </a>
            </li>
          ))}
        </ul>
        {operations.map((operation) => (
          <OperationArticle operation={operation} />
        ))}
        {named.length === 0 ? null : <h2 id="objects">Objects</h2>}
        {named.map((each) => (
          <section class="object" id={`object-${each}`} aria-labelledby={`name-${each}`}>
            <h3 id={`name-${each}`}>{each}</h3>
            <SchemaBody schema={schemas[each] ?? {}} />
          </section>
        ))}
      </>
    ),
  });
}

function Method({ method }: { method: string }) {
  return <span class={`method is-${method.toLowerCase()}`}>{method}</span>;
}

function OperationArticle({ operation }: { operation: Operation }) {
  const { operationId, method, path, summary, description, parameters, requestBody, responses, security } = operation;
  const credentials = security.flatMap((each) => Object.keys(each));
  return (
    <article id={operationId} aria-labelledby={`title-${operationId}`}>
      <h2 id={`title-${operationId}`}>{summary}</h2>
      <p class="address">
        <Method method={method} /> <code>{path}</code>
      </p>
      {description === undefined ? null : (
        <p>
          <Text text={description} />
        </p>
      )}
      <p class="quiet">
        {credentials.length === 0 ? "No credential." : "Credential: "}
        {credentials.map((each, n) => (
          <>
            {n === 0 ? "" : " or "}
            <a href={`/docs#credential-${each}`}>{each}</a>
          </>
        ))}
      </p>
      {parameters.length === 0 ? null : (
        <>
          <h3>Parameters</h3>
          <dl>
            {parameters.map((parameter) => (
              <Member
                name={parameter.name}
                isRequired={parameter.required === true}
                place={parameter.in}
                schema={{ ...parameter.schema, description: parameter.schema.description ?? parameter.description }}
              />
            ))}
          </dl>
        </>
      )}
      {requestBody === undefined ? null : (
        <>
          <h3>Body</h3>
          <ContentList contents={requestBody.content} />
        </>
      )}
      <h3>Answers</h3>
      {Object.entries(responses).map(([status, response]) => (
        <details>
          <summary>
            <code>{status}</code> <Text text={response.description} />
          </summary>
          <ContentList contents={response.content ?? {}} />
        </details>
      ))}
    </article>
  );
}

function ContentList({ contents }: { contents: Contents }) {
  const entries = Object.entries(contents);
  if (entries.length === 0) return <p class="quiet">Nothing.</p>;
  return (
    <>
      {entries.map(([type, { schema, example }]) => (
        <>
          <p class="quiet">
            <code>{type}</code>
          </p>
          {schema === undefined ? null : <SchemaBody schema={schema} />}
          {example === undefined ? null : (
            <pre tabindex={0}>
              <code>{typeof example === "string" ? example : JSON.stringify(example, null, 2)}</code>
            </pre>
          )}
        </>
      ))}
    </>
  );
}

/** Those that the operations name, and those that these name, in the order of the alphabet. */
function namedSchemas(operations: readonly Operation[], schemas: Description["components"]["schemas"]): string[] {
  const named = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name = ""] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (named.has(name)) continue;
      named.add(name);
      visit(schemas[name]);
    }
  };
  visit(operations);
  return [...named].sort();
}
