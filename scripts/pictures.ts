/**
 * `npm run pictures`: starts the demonstration in a state of its own and takes each main view at three widths, in light and
 * dark, into a folder that git ignores; with --documents those of README and docs/. --monitors shows an installation with
 * none, ten or a thousand of them. Needs Chromium; CHROMIUM names another program than /usr/bin/chromium.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type BrowserContext, chromium } from "playwright-core";
import { INTERNAL_PASSWORD } from "./demo/company.ts";
import { Refusal, runCommand, withUsage } from "./local/command-error.ts";
import { controlOf } from "./local/control.ts";
import { stateDirOf } from "./local/settings.ts";
import { DOCUMENTS, IDS, type Picture, VIEWS } from "./pictures/views.ts";

const ROOT = resolve(import.meta.dirname, "..");
const WIDTHS = [390, 768, 1440];
const HEIGHT_MAX = 6_000;
const SCHEMES = ["light", "dark"] as const;
/** Of monitors; other than those of the demonstration. */
const AMOUNTS = ["0", "10", "1000"];
const USAGE = `usage: npm run pictures -- [--view NAME]... [--monitors ${AMOUNTS.join("|")}] [--language CODE] [--out FOLDER]
       npm run pictures -- --documents   those of README and docs/
views: ${VIEWS.map(({ name }) => name).join(", ")}`;

interface Options {
  pictures: Picture[];
  folder: string;
  language: string | undefined;
  isOfDocuments: boolean;
  /** How many there are; undefined: as many as the demonstration has. */
  monitors: number | undefined;
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      view: { type: "string", multiple: true },
      monitors: { type: "string" },
      language: { type: "string" },
      out: { type: "string" },
      documents: { type: "boolean" },
    },
  });
  if (values.documents)
    return {
      pictures: DOCUMENTS,
      folder: join(ROOT, "docs/screenshots"),
      language: undefined,
      isOfDocuments: true,
      monitors: undefined,
    };
  if (values.monitors !== undefined && !AMOUNTS.includes(values.monitors))
    throw new Error("no such amount of monitors");
  const monitors = values.monitors === undefined ? undefined : Number(values.monitors);
  // Where nothing was made, nothing has an id.
  const shown = monitors === 0 ? VIEWS.filter(({ path }) => /^\/app(?!.*\{)/.test(path)) : VIEWS;
  const wanted = values.view ?? shown.map(({ name }) => name);
  const unknown = wanted.find((name) => !VIEWS.some((view) => view.name === name));
  if (unknown !== undefined) throw new Error(`no view is called ${unknown}`);
  const pictures = shown
    .filter(({ name }) => wanted.includes(name))
    .flatMap(({ name, path }) =>
      WIDTHS.flatMap((width) =>
        SCHEMES.map((scheme): Picture => ({ name: `${name}-${width}-${scheme}`, path, width, scheme, isWhole: true })),
      ),
    );
  const folder = resolve(values.out ?? join(ROOT, "test-results/pictures"));
  return { pictures, folder, language: values.language, isOfDocuments: false, monitors };
}

const options = withUsage(USAGE, () => readOptions(process.argv.slice(2)));

await runCommand(async () => {
  const stateDir = mkdtempSync(join(tmpdir(), "vigil-pictures-"));
  const start = ["--optimize-for-size", "scripts/start.ts", ...(options.monitors === 0 ? [] : ["--demo"])];
  const service = spawn(process.execPath, start, {
    cwd: ROOT,
    env: { ...process.env, PORT: "0", STATE_DIR: stateDir, RATE_LIMITS: "all=off", LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let logs = "";
  service.stdout.setEncoding("utf8").on("data", (text: string) => (logs += text));
  const printed = async (pattern: RegExp) => {
    while (service.exitCode === null) {
      const found = pattern.exec(logs)?.[1];
      if (found) return found;
      await sleep(100);
    }
    throw new Refusal(`the demonstration did not start:\n${logs}`);
  };
  try {
    const url = await printed(/^ready (http\S+)$/m);
    const link = await printed(/(http\S+\/app\/sign-in\/link\?token=\w+)/);
    await takePictures({ url, link, stateDir });
  } catch (error) {
    console.error(logs);
    throw error;
  } finally {
    service.kill();
    if (service.exitCode === null) await once(service, "exit");
    rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 });
  }
});

interface Shown {
  url: string;
  link: string;
  stateDir: string;
}

async function takePictures({ url, link, stateDir }: Shown): Promise<void> {
  const { pictures, folder, language, isOfDocuments, monitors } = options;
  mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  try {
    const context = await browser.newContext({ reducedMotion: "reduce", ...(language && { locale: language }) });
    await enter(context, url, link);
    const page = await context.newPage();
    if (monitors) await setMonitors(stateDir, monitors);
    const ids = monitors === 0 ? new Map<string, string>() : await readIds(stateDir);
    for (const { name, path, width, height = 900, scheme, isWhole } of pictures) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: scheme });
      const answer = await page.goto(url + fillIn(path, ids));
      if (!answer?.ok()) throw new Error(`${path} answered ${answer?.status()}`);
      await page.waitForLoadState("networkidle");
      // Readers of README and docs remove no demonstration.
      if (isOfDocuments) await page.evaluate("document.querySelector('.demonstration')?.remove()");
      // A window of the page's height, because rows outside of the window are not drawn.
      const whole = isWhole ? await page.evaluate<number>("document.documentElement.scrollHeight") : height;
      await page.setViewportSize({ width, height: Math.min(Math.max(whole, height), HEIGHT_MAX) });
      await page.screenshot({ path: join(folder, `${name}.png`) });
    }
    console.log(`${pictures.length} pictures in ${folder}`);
  } finally {
    await browser.close();
  }
}

/** Signed in, and past the password of the internal page. */
async function enter(context: BrowserContext, url: string, link: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Create your password" }).waitFor();
  if (options.monitors === 0) return page.close();
  await page.goto(`${url}/status/northwind-internal`);
  await page.locator("input[type=password]").fill(INTERNAL_PASSWORD);
  await page.locator("input[type=password]").press("Enter");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.close();
}

/** Leaves so many monitors of the demonstration, or adds copies of them with their past. */
async function setMonitors(stateDir: string, wanted: number): Promise<void> {
  const execute = controlOf(stateDirOf({ STATE_DIR: stateDir }));
  const ask = async (sql: string) => (await execute([{ sql, params: [] }]))[0] ?? [];
  const [{ count }] = (await ask("SELECT count(*) AS count FROM monitors")) as [{ count: number }];
  if (count > wanted) {
    const ids = await readIds(stateDir);
    const shown = ["monitor", "heartbeat"].map((name) => `'${ids.get(name)}'`).join();
    await ask(
      `DELETE FROM monitors WHERE id NOT IN (SELECT id FROM monitors ORDER BY id NOT IN (${shown}), position, id LIMIT ${wanted})`,
    );
    return;
  }
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.ceil(wanted / count)})`;
  const copyOf = (id: string) => `substr(${id}, 1, 32) || printf('%04x', i)`;
  const columnsOf = async (table: string) =>
    (await ask(`SELECT name FROM pragma_table_info('${table}')`)).map(({ name }) => String(name));
  const copy = async (table: string, changed: Record<string, string>, which: string) => {
    const columns = await columnsOf(table);
    const values = columns.map((name) => changed[name] ?? name);
    await ask(
      `${numbers} INSERT OR IGNORE INTO ${table} (${columns.join()}) SELECT ${values.join()} FROM ${table}, n ${which}`,
    );
  };
  await copy(
    "monitors",
    // What is sealed for one monitor opens for no other.
    { id: copyOf("id"), name: "name || ' ' || i", external_key: "NULL", sealed: "NULL" },
    `ORDER BY i LIMIT ${wanted - count}`,
  );
  const owner = copyOf("monitor_id");
  await copy("status_intervals", { monitor_id: owner }, `WHERE ${owner} IN (SELECT id FROM monitors)`);
}

async function readIds(stateDir: string): Promise<Map<string, string>> {
  const queries = Object.entries(IDS);
  const execute = controlOf(stateDirOf({ STATE_DIR: stateDir }));
  const found = await execute(queries.map(([, sql]) => ({ sql, params: [] })));
  return new Map(queries.map(([name], n) => [name, String(found[n]?.[0]?.id)]));
}

function fillIn(path: string, ids: Map<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? "");
}
