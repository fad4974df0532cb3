import { registerHooks } from "node:module";

const FORMER_COMPILER = "@ts-morph/common/dist/typescript.js";

/**
 * TypeScript types of an OpenAPI document, as users generate them. The generator builds on the compiler's former API,
 * which the present compiler no longer has.
 */
export async function generateTypes(description: string): Promise<string> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => next(specifier === "typescript" ? FORMER_COMPILER : specifier, context),
  });
  try {
    const { astToString, default: openapiTS } = await import("openapi-typescript");
    return astToString(await openapiTS(description));
  } finally {
    hooks.deregister();
  }
}
