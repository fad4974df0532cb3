/**
 * Bundles the style sheet of the dashboard and, for each of its languages, the scripts with their texts into static assets,
 * beside a manifest of their addresses, which contain the hash of the content. So a script needs no request for its words.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { LANGUAGES, type Language } from "../src/contract/status-page.ts";
import { LANGUAGE_FACTS } from "../src/language/languages.ts";
import { colorProperties } from "../src/ui/styles.ts";

const ROOT = resolve(import.meta.dirname, "..");
const SOURCES = join(ROOT, "src/dashboard/browser");
const ASSETS = join(ROOT, "node_modules/.assets");
const TARGET = join(ASSETS, "assets/dashboard");

mkdirSync(TARGET, { recursive: true });
const style = keep("app", "css", await bundle(styles()));
const manifest: Record<string, Record<string, string>> = {};
for (const language of LANGUAGES.filter((each) => existsSync(catalogueOf(each)))) {
  manifest[language] = { ...(await bundleScripts(language)), style };
}
const current = new Set(
  Object.values(manifest).flatMap((addresses) => Object.values(addresses).map((each) => basename(each))),
);
for (const file of readdirSync(TARGET)) if (!current.has(file)) rmSync(join(TARGET, file), { force: true });
// Last, because setup.sh compares its age with the sources'.
replace(join(ASSETS, "dashboard.json"), Buffer.from(JSON.stringify(manifest)));

type Source = Pick<BuildOptions, "entryPoints" | "plugins" | "define">;

function catalogueOf(language: Language): string {
  return join(ASSETS, "language/dashboard", `${language}.json`);
}

async function bundleScripts(language: Language) {
  const messages: Record<string, unknown> = JSON.parse(readFileSync(catalogueOf(language), "utf8"))[
    "dashboard-browser"
  ];
  // Each group by itself, so that a script holds those that it names.
  const define = Object.fromEntries([
    ["LOCALE", JSON.stringify(LANGUAGE_FACTS[language].locale)],
    ...Object.entries(messages).map(([group, tree]) => [`MESSAGES.${group}`, JSON.stringify(tree)]),
  ]);
  const script = async (name: string, entry: string) =>
    keep(name, "js", await bundle({ entryPoints: [join(SOURCES, entry)], define }));
  return {
    script: await script("app", "main.ts"),
    sign_in_script: await script("signin", "sign-in.ts"),
    wall_script: await script("wall", "wall.ts"),
    move_script: await script("move", "move.ts"),
    service_worker: await script("worker", "service-worker.ts"),
  };
}

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
