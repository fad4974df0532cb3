/**
 * `npm run package`: what people install who have no checkout, dist/vigil-VERSION.tgz: the programs of one machine, the
 * Worker and its assets, ready-made. Of other packages it needs Miniflare alone, which brings the Workers runtime.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import packageJson from "../package.json" with { type: "json" };
import { bundleWorker } from "./local/bundle.ts";
import { readWorkerConfig } from "./local/config.ts";
import { PROJECT_ROOT } from "./local/paths.ts";

const DIST = join(PROJECT_ROOT, "dist");
const TARGET = join(DIST, "package");
/** All programs lie in one folder, for each finds what is beside it; the root of the package is two above, as of a checkout. */
const PROGRAMS = "scripts/local";
const DOCUMENTS = ["LICENSE", "CHANGELOG.md"];

const BANNER = `import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);`;

/** Deployments are made from a checkout, with wrangler, which weighs as much as all the rest. */
const withoutDeployments: Plugin = {
  name: "without-deployments",
  setup({ onResolve, onLoad }) {
    onResolve(
      { filter: /^\.\.?\/(deploy\/|backup\/(deployments|remote)\.ts|deployments\.ts|remote\.ts|config\.ts)/ },
      ({ kind, path }) => (kind === "dynamic-import" ? { path, namespace: "checkout" } : undefined),
    );
    onLoad({ filter: /.*/, namespace: "checkout" }, () => ({
      contents: `import { Refusal } from "./command-error.ts";
        throw new Refusal("deployments are managed from a checkout of the source: docs/deploy.md");`,
      resolveDir: join(PROJECT_ROOT, PROGRAMS),
      loader: "ts",
    }));
  },
};

rmSync(TARGET, { recursive: true, force: true });
const service = join(TARGET, "service");
await bundleWorker(service, new AbortController().signal);
for (const file of readdirSync(service)) {
  if ([".map", ".md"].includes(extname(file))) rmSync(join(service, file));
}
// Where this checkout lies is nothing to tell.
writeFileSync(join(service, "config.json"), JSON.stringify(readWorkerConfig()).replaceAll(PROJECT_ROOT, "."));
cpSync(join(PROJECT_ROOT, "node_modules/.assets"), join(TARGET, "assets"), { recursive: true });
mkdirSync(join(TARGET, "migrations"));
for (const file of readdirSync(join(PROJECT_ROOT, "migrations"))) {
  if (file.endsWith(".sql")) copyFileSync(join(PROJECT_ROOT, "migrations", file), join(TARGET, "migrations", file));
}
await build({
  absWorkingDir: PROJECT_ROOT,
  entryPoints: ["scripts/vigil.ts", `${PROGRAMS}/migrate.ts`, `${PROGRAMS}/write-service.ts`],
  outdir: join(TARGET, PROGRAMS),
  entryNames: "[name]",
  chunkNames: "part-[hash]",
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node24",
  format: "esm",
  external: ["miniflare"],
  legalComments: "none",
  banner: { js: BANNER },
  plugins: [withoutDeployments],
  logLevel: "warning",
});
for (const file of ["launch.js", "control-worker.js", "instead-of-workerd.sh"]) {
  copyFileSync(join(PROJECT_ROOT, PROGRAMS, file), join(TARGET, PROGRAMS, file));
  if (file !== "control-worker.js") chmodSync(join(TARGET, PROGRAMS, file), 0o755);
}
cpSync(join(PROJECT_ROOT, "packaging"), join(TARGET, "packaging"), { recursive: true });
for (const file of DOCUMENTS) copyFileSync(join(PROJECT_ROOT, file), join(TARGET, file));
copyFileSync(join(PROJECT_ROOT, "docs/one-machine.md"), join(TARGET, "README.md"));
const { name, version, description, license, devDependencies } = packageJson;
const manifest = {
  name,
  version,
  description,
  license,
  type: "module",
  bin: { vigil: `${PROGRAMS}/launch.js` },
  engines: { node: ">=24" },
  dependencies: { miniflare: devDependencies.miniflare },
};
writeFileSync(join(TARGET, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
const packed = execFileSync("npm", ["pack", TARGET, "--pack-destination", DIST, "--loglevel=error"], {
  encoding: "utf8",
});
console.log(join("dist", basename(packed.trim())));
