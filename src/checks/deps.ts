export { type Deps as CheckDeps, depsOf } from "../access/deps.ts";
