import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { PLANS } from "../../src/contract/plan.ts";
import { SETTING_NAMES, settingsOf } from "../../src/platform/settings.ts";

/** What README and docs/ state about files, commands, links and settings is compared with what is there. */
const ROOT = resolve(import.meta.dirname, "../..");
const DOCUMENTS = [
  ...readdirSync(ROOT).filter((file) => file.endsWith(".md")),
  ...readdirSync(join(ROOT, "docs")).flatMap((file) => (file.endsWith(".md") ? [join("docs", file)] : [])),
  ...readdirSync(join(ROOT, ".github")).flatMap((file) => (file.endsWith(".md") ? [join(".github", file)] : [])),
];

/** Read by local commands, not by the Worker. */
const LOCAL_NAMES = [
  "PORT",
  "HOST",
  "STATE_DIR",
  "CLIENT_ADDRESS_HEADER",
  "BACKUP_DIR",
  "BACKUP_KEEP_DAYS",
  "BACKUP_HEARTBEAT_URL",
  "BACKUP_S3_URL",
  "BACKUP_S3_KEY_ID",
  "BACKUP_S3_SECRET",
  "BACKUP_S3_REGION",
  "CLOUDFLARE_API_TOKEN",
  "CLOUDFLARE_ACCOUNT_ID",
  "BACKUP_PASSPHRASE",
  "VIGIL_URL",
  "VIGIL_TOKEN",
];

const read = (document: string) => readFileSync(join(ROOT, document), "utf8");

/** Cells of the table rows whose first cell begins with a name in backticks. */
function rowsOf(text: string): string[][] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));
}

const unquote = (cell: string | undefined) => /^`(.*)`$/.exec(cell ?? "")?.[1] ?? "";

/** As GitHub makes anchors of headings. */
function anchorsOf(text: string): string[] {
  const headings = text.replace(/^```[\s\S]*?^```/gm, "").match(/^#+ .+$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe.each(DOCUMENTS)("%s", (document) => {
  const text = read(document);

  it("names only files and folders that exist", () => {
    const named = [...text.matchAll(/`((?:src|test|scripts|migrations|docs|\.ci|\.github)(?:\/[\w.-]+)*)\/?`/g)].map(
      (match) => match[1] ?? "",
    );
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("names only npm commands that exist", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map((match) => match[1] ?? "");
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it("names only settings that exist", () => {
    const known = [...SETTING_NAMES, ...LOCAL_NAMES];
    const named = [...text.matchAll(/`([A-Z]+(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map((match) => match[1] ?? "");
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it("links only to files and headings that exist", () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].map((match) => match[1] ?? "");
    const broken = links.filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? document : join(dirname(document), path);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

describe("README.md", () => {
  const DAILY = ["outages", "alerts", "incidents", "maintenance", "uptime", "accounts"];
  const linksOf = (part: string) => [...part.matchAll(/\]\(([^)#\s]+)/g)].map((match) => match[1] ?? "");

  it("lists the documents of users by their task, and those of contributors apart", () => {
    const [, documentation = ""] = read("README.md").split("\n## Documentation\n");
    const [users = "", contributors = ""] = documentation.split(/^For contributors:/m);
    expect(users).toMatch(/^\| To \| Read \|$/m);
    expect(linksOf(users)).toEqual(expect.arrayContaining(DAILY.map((name) => `docs/${name}.md`)));
    const inside = ["CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md", "docs/spec-table.md"];
    expect(linksOf(contributors)).toEqual(expect.arrayContaining(inside));
    expect(linksOf(users).filter((link) => inside.includes(link))).toEqual([]);
  });

  it.each(DAILY)("leads to a page about %s that is short and has a picture", (name) => {
    const text = read(`docs/${name}.md`);
    const [, picture = ""] = /!\[[^\]]+\]\(([^)]+)\)/.exec(text) ?? [];
    expect(existsSync(join(ROOT, "docs", picture)) && picture !== "").toBe(true);
    expect(text.split(/\s+/).length).toBeLessThan(2500);
  });

  it("links to every document", () => {
    const linked = [...read("README.md").matchAll(/\]\(([^)#\s]+)/g)].map((match) => match[1]);
    expect(DOCUMENTS.filter((file) => !/^(README|\.github)/.test(file) && !linked.includes(file))).toEqual([]);
  });
});

describe("docs/settings.md", () => {
  const rows = rowsOf(read("docs/settings.md"));
  const required = { ROOT_SECRET: "x".repeat(32) };

  it("names every setting once", () => {
    const named = rows.map(([name]) => unquote(name)).filter((name) => !LOCAL_NAMES.includes(name));
    expect(named.sort()).toEqual([...SETTING_NAMES].sort());
  });

  it("states the defaults that hold", () => {
    const stated = Object.fromEntries(
      rows.flatMap(([name, value]) =>
        SETTING_NAMES.includes(unquote(name)) && !Object.hasOwn(required, unquote(name))
          ? [[unquote(name), value === "empty" ? "" : unquote(value)]]
          : [],
      ),
    );
    expect(settingsOf({ ...required, ...stated })).toEqual(settingsOf({ ...required }));
  });
});

describe("docs/retention.md", () => {
  const settings = settingsOf({ ROOT_SECRET: "x".repeat(32) });

  it.each(["RAW_RESULTS_DAYS", "HISTORY_DAYS"] as const)("states the days of %s", (name) => {
    const [, head = ""] = /^(\| \|.*)$/m.exec(read("docs/retention.md")) ?? [];
    const row = read("docs/retention.md")
      .split("\n")
      .find((line) => line.startsWith("|") && line.endsWith(`\`${name}\` |`));
    const cellsOf = (line = "") => line.split("|").map((cell) => cell.trim());
    const plans = cellsOf(head);
    const stated = Object.fromEntries(PLANS.map((plan) => [plan, Number(cellsOf(row)[plans.indexOf(plan)])]));
    expect(stated).toEqual(settings[name]);
  });
});

describe("docs/architecture.md", () => {
  const text = read("docs/architecture.md");

  it("describes every folder of src", () => {
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const described = rowsOf(text).flatMap(([first = ""]) => first.match(/src\/[\w-]+/g) ?? []);
    expect([...described].sort()).toEqual(folders.map(({ name }) => `src/${name}`).sort());
  });
});
