/**
 * `npm run plugins`: compiles the plug-in for Minecraft, whose server loads nothing but classes, into the module that the
 * Worker hands it out from. Needs javac; run it after every change of the Java source.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { deflateSync } from "node:zlib";

const ROOT = resolve(import.meta.dirname, "..");
const FOLDER = join(ROOT, "src/features/game-servers/minecraft");
const SOURCE = join(FOLDER, "VigilPlugin.java");
/** The interface of the server, as far as the plug-in uses it. */
const SERVER = join(ROOT, "test/support/plugins/java");
/** Of Paper 1.18, the oldest server that the plug-in is for. */
const JAVA_RELEASE = "17";
const LINE_LENGTH = 110;

const dir = mkdtempSync(join(tmpdir(), "vigil-plugins-"));
try {
  execFileSync("javac", ["--release", JAVA_RELEASE, "-g:none", "-d", dir, "-sourcepath", SERVER, SOURCE]);
  const compiled = readFileSync(join(dir, "dev/vigil/VigilPlugin.class"));
  const base64 = deflateSync(compiled, { level: 9 }).toString("base64");
  const lines = base64.match(new RegExp(`.{1,${LINE_LENGTH}}`, "g")) ?? [];
  const digest = createHash("sha256").update(readFileSync(SOURCE)).digest("hex");
  writeFileSync(
    join(FOLDER, "compiled.ts"),
    `/** Made of VigilPlugin.java by \`npm run plugins\`; a test holds them together. */
export const SOURCE_SHA256 = "${digest}";

export const CLASS_BYTES = ${compiled.length};

/** Compressed, because the Worker is read whole at each start. */
export const CLASS_ZLIB_BASE64 = [
${lines.map((line) => `  "${line}",`).join("\n")}
].join("");
`,
  );
} finally {
  rmSync(dir, { recursive: true, force: true });
}
