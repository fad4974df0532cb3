import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * Who may import whom. Every folder may also import itself and lib. Entries are paths below src; `feature files` stands
 * for every file of another feature but its `routes.ts`, `feature services` for `features/<any>/service.ts`. Packages are
 * named for each folder; zod may be imported wherever something is parsed.
 */
interface Rule {
  may: readonly string[];
  packages: readonly string[];
}
const RULES: Record<string, Rule> = {
  lib: { may: [], packages: [] },
  contract: { may: [], packages: [] },
  language: { may: ["contract"], packages: [] },
  domain: { may: ["contract", "language"], packages: [] },
  data: { may: ["contract", "domain"], packages: ["drizzle-orm"] },
  net: { may: ["contract", "domain"], packages: ["dns-packet", "node:crypto"] },
  platform: {
    may: ["contract", "domain", "net"],
    packages: [
      "@block65/webcrypto-web-push",
      "@simplewebauthn/server",
      "cloudflare:",
      "croner",
      "node:crypto",
      "node:zlib",
      "ipaddr.js",
      "oauth4webapi",
      "yaml",
    ],
  },
  ui: { may: ["contract", "domain"], packages: ["hono/html", "hono/jsx", "marked"] },
  mail: { may: ["contract", "domain", "platform", "net", "ui"], packages: ["cloudflare:"] },
  report: { may: ["contract", "domain", "platform", "net", "ui"], packages: ["bidi-js"] },
  probes: {
    may: ["contract", "domain", "net"],
    packages: ["croner", "dns-packet", "node:crypto"],
  },
  notifiers: { may: ["contract", "domain", "net", "ui"], packages: ["node:crypto"] },
  access: { may: ["contract", "domain", "data", "platform"], packages: [] },
  http: { may: ["contract", "domain", "platform", "access"], packages: ["hono", "@hono/zod-openapi"] },
  outbox: { may: ["contract", "domain", "data", "platform", "access", "mail"], packages: [] },
  delivery: {
    may: ["contract", "language", "domain", "data", "platform", "access", "outbox", "notifiers", "mail"],
    packages: [],
  },
  checks: {
    may: [
      ...["contract", "domain", "data", "platform", "access", "probes", "net"],
      ...["events/emit.ts", "events/rules.ts", "events/metric-rules.ts"],
      "sweeps/resumable-sweep.ts",
    ],
    packages: [],
  },
  "durable-objects": {
    may: ["contract", "domain", "data", "platform", "access/scope.ts", "probes", "status-page/payload.ts"],
    packages: ["cloudflare:"],
  },
  events: { may: ["contract", "domain", "data", "platform", "access", "outbox", "delivery"], packages: [] },
  sweeps: { may: ["contract", "domain", "data", "platform", "access", "outbox"], packages: [] },
  features: {
    may: [
      ...["contract", "domain", "data", "platform", "access", "checks", "outbox", "delivery", "report", "ui"],
      ...[
        "events/deleted-monitors.ts",
        "events/emit.ts",
        "events/rules.ts",
        "events/metric-rules.ts",
        "events/rule-metrics.ts",
      ],
      ...["probes/registry.ts", "notifiers/registry.ts", "notifiers/fields.ts", "notifiers/port.ts"],
      ...["notifiers/example-input.ts", "notifiers/wording.ts", "notifiers/chat-text.ts"],
      ...["notifiers/slack-app.ts", "notifiers/slack-modal.ts"],
      ...["resource/verbs.ts", "feature files"],
    ],
    packages: [],
  },
  resource: {
    may: ["contract", "domain", "data", "platform", "access", "http"],
    packages: ["@hono/zod-openapi"],
  },
  jobs: {
    may: [
      ...["contract", "domain", "platform", "access", "checks", "events", "delivery", "outbox", "sweeps"],
      "feature services",
    ],
    packages: [],
  },
  "status-page": {
    may: [
      ...["contract", "language", "domain", "data", "platform", "access", "http", "outbox", "report", "ui"],
      "features/latency/service.ts",
      "features/metric-widgets/service.ts",
    ],
    packages: ["hono"],
  },
  dashboard: {
    may: [
      ...["contract", "language", "domain", "data", "platform", "access", "http", "ui", "probes/registry.ts"],
      ...["notifiers/registry.ts", "notifiers/fields.ts", "notifiers/port.ts", "feature files"],
    ],
    packages: ["uqr", "hono", "node:async_hooks"],
  },
};
/** The private agent, a program of its own: Node, and the clients of protocols that only it speaks. */
const AGENT: Rule = {
  may: ["contract", "domain", "net", "probes"],
  packages: ["node:", "amqplib", "gamedig", "kafkajs", "mqtt", "net-snmp", "ws"],
};
/** The command line, a program of its own over the public API. */
const CLI: Rule = { may: ["contract"], packages: ["node:", "yaml"] };
const ROUTES: Rule = { may: [...(RULES.features?.may ?? []), "http", "resource"], packages: ["@hono/zod-openapi"] };
const TOP: Record<string, Rule> = {
  "app.ts": {
    may: ["http", "features/*/routes", "public-app.ts", "status-page", "dashboard"],
    packages: ["hono", "@hono/zod-openapi"],
  },
  "checker.ts": { may: ["checks/probe-check.ts", "contract", "platform"], packages: [] },
  "entry.ts": {
    may: [
      "app.ts",
      "durable-objects",
      "domain",
      "features/plain-heartbeats/routes.ts",
      "jobs",
      "platform",
      "public-app.ts",
    ],
    packages: [],
  },
  "public-app.ts": { may: ["http", "status-page"], packages: ["@hono/zod-openapi"] },
  "worker.ts": { may: [], packages: ["#entry"] },
};

const SRC = resolve(import.meta.dirname, "../../src");
const IMPORT = /^(?:import|export)\s[^;]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm;

/** Programs that are handed out as text: what they import and call, somebody else's machine does. */
const HANDED_OUT = [
  "status-page/script.ts",
  "status-page/embed-script.ts",
  "features/game-servers/sidecar.ts",
  "dashboard/browser",
];

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (file) =>
    /\.tsx?$/.test(file) &&
    !/\.(test|d)\.tsx?$/.test(file) &&
    !HANDED_OUT.some((each) => file === each || file.startsWith(`${each}/`)),
);

function importsOf(file: string): string[] {
  return [...readFileSync(join(SRC, file), "utf8").matchAll(IMPORT)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
}

function ruleOf(file: string): Rule | undefined {
  const top = TOP[file];
  if (top) return top;
  if (file.startsWith("agent/")) return AGENT;
  if (file.startsWith("cli/")) return CLI;
  if (/^features\/[^/]+\/routes\.tsx?$/.test(file)) return ROUTES;
  return RULES[file.split("/")[0] ?? ""];
}

function isAllowed(file: string, specifier: string, rule: Rule): boolean {
  if (!specifier.startsWith(".")) {
    if (specifier === "zod") return !["lib", "domain", "data"].includes(file.split("/")[0] ?? "");
    return rule.packages.some(
      (name) => specifier === name || specifier.startsWith(name.endsWith(":") ? name : `${name}/`),
    );
  }
  const target = relative(SRC, resolve(dirname(join(SRC, file)), specifier));
  if (target.endsWith("package.json")) return file === "platform/version.ts" || file === "agent/version.ts";
  if (target.startsWith("../node_modules/")) return file === "lib/zod.ts";
  const own = file.startsWith("features/") ? file.split("/").slice(0, 2).join("/") : (file.split("/")[0] ?? "");
  if (target.startsWith(`${own}/`) || target.startsWith("lib/")) return true;
  return rule.may.some((allowed) => {
    if (allowed === "feature services") return /^features\/[^/]+\/service\.ts$/.test(target);
    if (allowed === "feature files") return /^features\/[^/]+\/(?!routes\.)[^/]+\.tsx?$/.test(target);
    if (allowed === "features/*/routes") return /^features\/[^/]+\/routes\.tsx?$/.test(target);
    return target === allowed || target.startsWith(`${allowed}/`);
  });
}

describe("imports", () => {
  it("of each file are those that its folder may have", () => {
    const refused = files.flatMap((file) => {
      const rule = ruleOf(file);
      if (!rule) return [`${file} lies in a folder without an import rule`];
      return importsOf(file)
        .filter((specifier) => !isAllowed(file, specifier, rule))
        .map((specifier) => `${file} may not import ${specifier}`);
    });
    expect(refused).toEqual([]);
  });
});

function targetsOf(file: string): string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => relative(SRC, resolve(dirname(join(SRC, file)), specifier)));
}

/** Names from which imports, those of types among them, lead back to the name itself by way of others. */
function circlesOf(nameOf: (file: string) => string | undefined): string[] {
  const targets = new Map<string, Set<string>>();
  for (const file of files) {
    const from = nameOf(file);
    if (from === undefined) continue;
    const names = targetsOf(file).flatMap((target) => nameOf(target) ?? []);
    targets.set(from, new Set([...(targets.get(from) ?? []), ...names.filter((name) => name !== from)]));
  }
  const reaches = (from: string, goal: string, seen = new Set<string>()): boolean =>
    [...(targets.get(from) ?? [])].some((to) => to === goal || (!seen.has(to) && reaches(to, goal, seen.add(to))));
  return [...targets.keys()].filter((name) => reaches(name, name));
}

describe("imports without circles", () => {
  it("lead from no feature back to it", () => {
    expect(circlesOf((file) => /^features\/([^/]+)\//.exec(file)?.[1])).toEqual([]);
  });

  it("lead from no file back to it", () => {
    expect(circlesOf((file) => file)).toEqual([]);
  });
});

describe("the dashboard", () => {
  // A request within the request costs its own session, authorisation and encoding, in live views each 1.5 s.
  it("reads by verbs, and asks the API by GET only for the install token, which that makes", () => {
    const asking = files.filter(
      (file) => file.startsWith("dashboard/") && /method: "GET",/.test(readFileSync(join(SRC, file), "utf8")),
    );
    expect(asking).toEqual(["dashboard/agents/routes.tsx"]);
  });
});

/** Impure calls and where alone they may stand. */
const IMPURE: [what: string, pattern: RegExp, allowed: RegExp][] = [
  ["the clock", /\bDate\.now\(|new Date\(\)|performance\.now\(/, /^(platform|agent|cli)\//],
  ["chance", /Math\.random\(|crypto\.(randomUUID|getRandomValues)\(/, /^(platform|agent)\//],
  ["the console", /\bconsole\./, /^platform\/logger\.ts$/],
  ["the network", /(?:await|return|=>|[=(,]) fetch\(|\bopenSocket\(/, /^(platform|mail|agent|cli)\//],
  ["text as a pattern", /new RegExp\(/, /^(platform|http)\/|^lib\/linear-regex\/char-class\.ts$/],
  ["SQL", /\bdrizzle-orm\b/, /^data\//],
];

describe("impure calls", () => {
  it.each(IMPURE)("to %s stand in their adapter only", (_what, pattern, allowed) => {
    const offenders = files.filter(
      (file) =>
        !allowed.test(file) &&
        pattern.test(readFileSync(join(SRC, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")),
    );
    expect(offenders).toEqual([]);
  });
});
