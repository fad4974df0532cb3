/**
 * What of zod goes into the Worker. Its own entry is one object with everything in it, the messages of fifty languages
 * included, and bundlers cannot take that apart: an eighth of the Worker's size would be unused code.
 */
export * from "../../node_modules/zod/v4/classic/checks.js";
export * as coerce from "../../node_modules/zod/v4/classic/coerce.js";
export * from "../../node_modules/zod/v4/classic/errors.js";
export { input, output } from "../../node_modules/zod/v4/classic/in-out.js";
export * as iso from "../../node_modules/zod/v4/classic/iso.js";
export * from "../../node_modules/zod/v4/classic/parse.js";
export * from "../../node_modules/zod/v4/classic/schemas.js";
export { config, NEVER } from "../../node_modules/zod/v4/core/core.js";
export { prettifyError } from "../../node_modules/zod/v4/core/errors.js";
export { toJSONSchema } from "../../node_modules/zod/v4/core/json-schema-processors.js";
export * as z from "./zod.ts";
