/**
 * Bundles the scripts and style sheets of the dashboard into static assets, beside a manifest of their addresses, which
 * contain the hash of the content.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { colorProperties } from "../src/ui/styles.ts";

const ROOT = resolve(import.meta.dirname, "..");
const SOURCES = join(ROOT, "src/dashboard/browser");
const ASSETS = join(ROOT, "node_modules/.assets");
const TARGET = join(ASSETS, "assets/dashboard");

mkdirSync(TARGET, { recursive: true });
const manifest = {
  script: keep("app", "js", await bundle({ entryPoints: [join(SOURCES, "main.ts")] })),
  sign_in_script: keep("signin", "js", await bundle({ entryPoints: [join(SOURCES, "sign-in.ts")] })),
  wall_script: keep("wall", "js", await bundle({ entryPoints: [join(SOURCES, "wall.ts")] })),
  move_script: keep("move", "js", await bundle({ entryPoints: [join(SOURCES, "move.ts")] })),
  service_worker: keep("worker", "js", await bundle({ entryPoints: [join(SOURCES, "service-worker.ts")] })),
  style: keep("app", "css", await bundle(styles())),
};
const current = new Set(Object.values(manifest).map((address) => address.split("/").at(-1)));
for (const file of readdirSync(TARGET)) if (!current.has(file)) rmSync(join(TARGET, file), { force: true });
// Last, because setup.sh compares its age with the sources'.
replace(join(ASSETS, "dashboard.json"), Buffer.from(JSON.stringify(manifest)));

type Source = Pick<BuildOptions, "entryPoints" | "plugins" | "stdin">;

/** The styles import their tokens as `tokens.css`, which src/ui/styles.ts writes. */
function styles(): Source {
  const tokens: Plugin = {
    name: "tokens",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^tokens\.css$/ }, ({ path }) => ({ path, namespace: "tokens" }));
      onLoad({ filter: /.*/, namespace: "tokens" }, () => ({ contents: colorProperties(), loader: "css" }));
    },
  };
  return { entryPoints: [join(SOURCES, "app.css")], plugins: [tokens] };
}

async function bundle(source: Source): Promise<Uint8Array> {
  const { outputFiles } = await build({
    ...source,
    absWorkingDir: ROOT,
    bundle: true,
    external: ["/assets/*"],
    write: false,
    minify: true,
    format: "iife",
    target: ["chrome109", "firefox115", "safari16"],
    legalComments: "none",
    logLevel: "warning",
  });
  const [output] = outputFiles;
  if (!output) throw new Error("the dashboard could not be bundled");
  return output.contents;
}

function keep(name: string, type: "js" | "css", content: Uint8Array): string {
  const file = `${name}-${createHash("sha256").update(content).digest("hex").slice(0, 16)}.${type}`;
  replace(join(TARGET, file), content);
  return `/assets/dashboard/${file}`;
}

function replace(path: string, content: Uint8Array): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}
