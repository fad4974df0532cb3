/**
 * In the Worker's bundle (wrangler.toml, alias) stands for the package that generates the OpenAPI document. The Worker
 * serves the document that scripts/openapi.ts made; of the package its router needs no more than these names.
 */
export class OpenAPIRegistry {
  readonly definitions: readonly never[] = [];
}

export class OpenApiGeneratorV3 {}

export class OpenApiGeneratorV31 {}

export function extendZodWithOpenApi(): void {}

export function getOpenApiMetadata(): Record<string, never> {
  return {};
}
