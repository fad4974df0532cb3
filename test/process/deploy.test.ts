import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { computeMonthlyCost } from "../../scripts/deploy/cost.ts";
import { EMPTY_ACCOUNT } from "../../scripts/deploy/empty-account.ts";
import { readOptions } from "../../scripts/deploy/options.ts";
import { NotSignedIn, type Platform } from "../../scripts/deploy/platform.ts";
import { deploymentFiles } from "../../scripts/deploy/record.ts";
import { SECRET_NAMES } from "../../scripts/deploy/settings.ts";
import { type Checkout, planUpgrade, readCheckout } from "../../scripts/deploy/upgrade.ts";
import { queueNames } from "../../scripts/deploy/worker-config.ts";
import { PROJECT_ROOT, WRANGLER } from "../../scripts/local/paths.ts";
import { REGIONS } from "../../src/contract/monitor-values.ts";
import { REGION_PLACES } from "../../src/contract/regions.ts";
import { isWellFormedApiToken } from "../../src/platform/credentials.ts";
import { findChecker } from "../../src/platform/env.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { FakeCloudflare } from "../support/cloudflare.ts";
import { newOperator, type Operator, release, run } from "./operator.ts";
import { type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

/** Of a new version beside one that serves. */
const ROLLED_OUT = ["upload vigil", "serve vigil 100 and 0%", "serve vigil 100%", "set triggers of vigil"];
const QUEUES = queueNames(release.config, "any").length;

describe("npm run deploy", () => {
  it("makes a running service of an empty account and says how to use it", async () => {
    const operator = newOperator();
    const output = await run(operator);
    expect(output).toContain("ready https://vigil.somebody.workers.dev");
    expect(isWellFormedApiToken(/sk_svc_\w+/.exec(output)?.[0] ?? "")).toBe(true);
    expect(output).toContain("API token of somebody@mail.example");
    expect(output).toMatch(/^ {2}https:\/\/vigil\.somebody\.workers\.dev\/app\/sign-in\/link\?token=\w{43}$/m);
    const { changes, queues, workers } = operator.platform;
    expect([...queues.keys()]).toEqual(
      expect.arrayContaining(["vigil-checks", "vigil-checks-dlq", "vigil-deliveries-dlq"]),
    );
    const order = ["create database vigil", "create namespace vigil-pages", "migrate vigil", "deploy vigil"];
    expect(changes.filter((change) => order.includes(change))).toEqual(order);
    expect(changes.findLastIndex((change) => change.startsWith("create queue"))).toBeLessThan(
      changes.indexOf("deploy vigil"),
    );
    const vars = workers.get("vigil")?.config.vars;
    expect(vars?.PUBLIC_URL).toBe("https://vigil.somebody.workers.dev");
    expect(vars?.REGIONS).toBe(REGIONS.join(","));
    expect([...workers.keys()]).toEqual([...REGIONS.map((region) => `vigil-checker-${region}`), "vigil"]);
    expect(vars?.CANARY_TARGETS?.split(",")).toHaveLength(2);
    expect(vars).not.toHaveProperty("ROOT_SECRET");
  });

  it("changes nothing but the code when it is repeated, and keeps its secret and its owner", async () => {
    const operator = newOperator();
    await run(operator);
    const secrets = readFileSync(join(operator.dir, "vigil/secrets.json"), "utf8");
    const before = operator.platform.changes.length;
    const output = await run(operator);
    const changes = operator.platform.changes.slice(before).filter((change) => change !== "write to the database");
    const checkers = REGIONS.map((region) => `deploy vigil-checker-${region}`);
    expect(changes).toEqual(["migrate vigil", ...checkers, ...ROLLED_OUT]);
    expect(output).not.toContain("sk_svc_");
    expect(output).toContain("/app/sign-in/link?token=");
    const { database } = operator.platform.databases.get("vigil") ?? {};
    database?.exec(`INSERT INTO passwords (user_id, hash, created_at, updated_at) SELECT id, 'x', 0, 0 FROM users`);
    expect(await run(operator)).not.toContain("/app/sign-in/link");
    expect(readFileSync(join(operator.dir, "vigil/secrets.json"), "utf8")).toBe(secrets);
    expect(statSync(join(operator.dir, "vigil/secrets.json")).mode & 0o777).toBe(0o600);
  });

  it("is repeated to its end wherever it broke off, also where the change was made and its answer lost", async () => {
    const whole = newOperator();
    whole.platform.addZone("pages.example");
    const args = ["--zone", "pages.example", "--regions", "weur,enam"];
    await run(whole, ...args);
    const steps = whole.platform.changes.length;
    expect(steps).toBeGreaterThan(20);
    for (let at = 0; at < steps; at++) {
      for (const isDone of [false, true]) {
        const operator = newOperator();
        operator.platform.addZone("pages.example");
        operator.platform.failure = { at, isDone };
        const change = whole.platform.changes[at] ?? "";
        // One region does not keep the service from the others.
        if (change.startsWith("deploy vigil-checker")) expect(await run(operator, ...args)).toContain("left out");
        else await expect(run(operator, ...args), change).rejects.toThrow(/503|connection/);
        expect(await run(operator, ...args)).toContain("ready ");
        const { databases, namespaces, queues, workers, zones } = operator.platform;
        expect([databases.size, namespaces.size, queues.size, workers.size]).toEqual([1, 1, QUEUES, 3]);
        expect(zones.get("pages.example")).toMatchObject({ records: [{}], routes: [{}, {}, {}] });
      }
    }
  });

  it("takes up a deployment that another machine made", async () => {
    const { platform } = newOperator();
    platform.addZone("watch.example");
    const first = { platform, dir: temporaryDir(), env: { DEFAULT_PLAN: "pro", MAIL_FROM: "me@mail.example" } };
    await run(first, "--domain", "status.watch.example", "--zone", "watch.example", "--regions", "weur");
    const deployed = platform.workers.get("vigil")?.config;
    const before = platform.changes.length;
    const dir = temporaryDir();
    await run({ platform, dir });
    expect(platform.workers.get("vigil")?.config).toEqual(deployed);
    expect([...platform.workers.keys()]).toEqual(["vigil-checker-weur", "vigil"]);
    expect(platform.changes.slice(before).some((change) => change.startsWith("create"))).toBe(false);
    expect(JSON.parse(readFileSync(join(dir, "vigil/secrets.json"), "utf8"))).toEqual({});
    expect(platform.workers.get("vigil")?.secrets.has("ROOT_SECRET")).toBe(true);
  });

  it("never seals old data under a new root secret", async () => {
    const operator = newOperator();
    await run(operator);
    operator.platform.workers.delete("vigil");
    writeFileSync(join(operator.dir, "vigil/secrets.json"), "{}");
    await expect(run(operator)).rejects.toThrow(/sealed under a root secret/);
    await run({ ...operator, env: { ROOT_SECRET: "the secret that the operator kept elsewhere" } });
    expect(operator.platform.workers.get("vigil")?.secrets.has("ROOT_SECRET")).toBe(true);
  });

  it("makes secrets of exactly the settings that are documented as secret", () => {
    const settings = readFileSync(join(PROJECT_ROOT, "docs/settings.md"), "utf8");
    const documented = [...settings.matchAll(/^\| `(\w+)` \|.*\bSecret\b.*$/gm)].map(([, name]) => name);
    expect([...SECRET_NAMES].sort()).toEqual(documented.sort());
  });

  it("keeps the settings of earlier runs, and secrets out of the vars", async () => {
    const operator = newOperator();
    const settings = { DEFAULT_PLAN: "pro", SMTP_URL: "smtps://me:pw@mail.example:465", MAIL_FROM: "me@mail.example" };
    await run({ ...operator, env: settings });
    await run({ ...operator, env: { LOG_LEVEL: "warn" } });
    const { config, secrets } = operator.platform.workers.get("vigil") ?? {};
    expect(config?.vars).toMatchObject({ DEFAULT_PLAN: "pro", MAIL_FROM: "me@mail.example", LOG_LEVEL: "warn" });
    expect(config?.vars).not.toHaveProperty("SMTP_URL");
    expect([...(secrets?.keys() ?? [])].sort()).toEqual(["ROOT_SECRET", "SMTP_URL"]);
    await run({ ...operator, env: { DEFAULT_PLAN: "" } });
    expect(operator.platform.workers.get("vigil")?.config.vars).not.toHaveProperty("DEFAULT_PLAN");
    const before = operator.platform.changes.length;
    await expect(run({ ...operator, env: { DEFAULT_PLAN: "gold" } })).rejects.toThrow(/setting DEFAULT_PLAN/);
    expect(operator.platform.changes).toHaveLength(before);
  });

  it("sets a zone up for the domains of status pages, and leaves its own names alone", async () => {
    const operator = newOperator();
    const zone = operator.platform.addZone("watch.example");
    await run(operator, "--zone", "watch.example", "--domain", "status.watch.example");
    expect(zone.origin).toBe("pages.watch.example");
    expect(zone.routes.map(({ pattern, script }) => [pattern, script])).toEqual([
      ["status.watch.example/*", "vigil"],
      ["watch.example/*", undefined],
      ["*.watch.example/*", undefined],
      ["*/*", "vigil"],
    ]);
    expect(operator.platform.workers.get("vigil")?.config).toMatchObject({
      main: join(PROJECT_ROOT, "src/worker.ts"),
      build: { cwd: PROJECT_ROOT },
      workers_dev: false,
      routes: [{ pattern: "status.watch.example", custom_domain: true }],
      vars: { PUBLIC_URL: "https://status.watch.example", CUSTOM_DOMAIN_TARGET: "pages.watch.example" },
    });
  });

  it("refuses a zone that serves something else", async () => {
    const operator = newOperator();
    const zone = operator.platform.addZone("busy.example");
    zone.routes.push({ id: "1", pattern: "*/*", script: "shop" });
    await expect(run(operator, "--zone", "busy.example")).rejects.toThrow(/leads to shop/);
  });

  it("deploys one checker near each region, before the service that binds them, and removes those given up", async () => {
    const operator = newOperator();
    await run(operator, "--regions", "weur,eeur");
    const { changes, workers } = operator.platform;
    expect(changes.filter((change) => change.startsWith("deploy"))).toEqual([
      "deploy vigil-checker-weur",
      "deploy vigil-checker-eeur",
      "deploy vigil",
    ]);
    expect(workers.get("vigil-checker-weur")?.config.placement).toEqual({ region: "aws:eu-central-1" });
    expect(workers.get("vigil")?.config.services).toEqual([
      { binding: "CHECKER_WEUR", service: "vigil-checker-weur" },
      { binding: "CHECKER_EEUR", service: "vigil-checker-eeur" },
    ]);
    await run({ ...operator, env: { REGIONS: "weur" } });
    expect([...workers.keys()].sort()).toEqual(["vigil", "vigil-checker-weur"]);
    await run(operator);
    expect(workers.get("vigil")?.config.vars.REGIONS).toBe("weur");
    await expect(run({ ...operator, env: { REGIONS: "mars" } })).rejects.toThrow(/--regions must be none or of wnam/);
    await run(operator, "--regions", "none");
    expect([...workers.keys()]).toEqual(["vigil"]);
    expect(workers.get("vigil")?.config.vars.REGIONS).toBe("");
  });

  it("places and binds a checker for every region that a local service offers, under the name that it looks for", async () => {
    const operator = newOperator();
    await run(operator);
    const offered = settingsOf({ ROOT_SECRET: "x".repeat(32) }).REGIONS;
    const { services = [], vars } = operator.platform.workers.get("vigil")?.config ?? {};
    expect(vars?.REGIONS).toBe(offered.join(","));
    const bound = Object.fromEntries(services.map(({ binding, service }) => [binding, service]));
    for (const region of offered) {
      const name = `vigil-checker-${region}`;
      expect(findChecker(bound as never, region)).toBe(name);
      const { placement } = operator.platform.workers.get(name)?.config ?? {};
      expect([region, placement]).toEqual([region, { region: REGION_PLACES[region].placement }]);
    }
    expect(services).toHaveLength(offered.length);
  });

  it("stands beside a staging deployment and removes that alone", async () => {
    const operator = newOperator();
    await run(operator, "--regions", "weur");
    await run(operator, "--name", "staging", "--regions", "weur");
    expect([...operator.platform.workers.keys()]).toEqual([
      "vigil-checker-weur",
      "vigil",
      "staging-checker-weur",
      "staging",
    ]);
    expect(operator.platform.queues.size).toBe(2 * QUEUES);
    expect(() => readOptions(["--destroy"])).toThrow(/--confirm vigil/);
    await run(operator, "--destroy", "--name", "staging", "--confirm", "staging");
    expect([...operator.platform.workers.keys()]).toEqual(["vigil-checker-weur", "vigil"]);
    expect([...operator.platform.databases.keys()]).toEqual(["vigil"]);
    expect(operator.platform.queues.size).toBe(QUEUES);
    expect(existsSync(join(operator.dir, "staging"))).toBe(false);
  });

  it("removes everything wherever the removal broke off", async () => {
    const args = ["--zone", "pages.example", "--regions", "weur"];
    const destroyArgs = ["--destroy", "--confirm", "vigil"];
    const newDeployment = async () => {
      const operator = newOperator();
      operator.platform.addZone("pages.example");
      await run(operator, ...args);
      return { operator, from: operator.platform.changes.length };
    };
    const whole = await newDeployment();
    await run(whole.operator, ...destroyArgs);
    const steps = whole.operator.platform.changes.length - whole.from;
    for (let step = 0; step < steps; step++) {
      const { operator, from } = await newDeployment();
      operator.platform.failure = { at: from + step, isDone: step % 2 === 0 };
      await expect(run(operator, ...destroyArgs)).rejects.toThrow(/503|connection/);
      await run(operator, ...destroyArgs);
      const { databases, namespaces, queues, workers, zones } = operator.platform;
      expect([databases.size, namespaces.size, queues.size, workers.size]).toEqual([0, 0, 0, 0]);
      expect(zones.get("pages.example")).toMatchObject({ origin: null, records: [], routes: [] });
    }
  });

  it("removes from its zone what another machine set up there, routes of earlier domains too, and nothing else", async () => {
    const { platform } = newOperator();
    const zone = platform.addZone("watch.example");
    const first = { platform, dir: temporaryDir() };
    for (const domain of ["old.watch.example", "status.watch.example"]) {
      await run(first, "--zone", "watch.example", "--domain", domain, "--regions", "none");
    }
    expect(zone.routes).toHaveLength(5);
    zone.routes.push({ id: "1", pattern: "shop.watch.example/*", script: "shop" });
    await run({ platform, dir: temporaryDir() }, "--destroy", "--confirm", "vigil");
    expect(zone).toMatchObject({ origin: null, records: [], routes: [{ pattern: "shop.watch.example/*" }] });
    expect(platform.workers.size).toBe(0);
  });

  it("says with --dry-run what it would do and what that costs, and does nothing", async () => {
    const operator = newOperator();
    const plan = await run(operator, "--dry-run", "--monitors", "1000", "--interval", "60");
    expect(plan).toContain("create the database vigil");
    expect(plan).toContain("create the queue vigil-checks-slow-dlq");
    expect(plan).toMatch(/Monthly cost of 1000 monitors every 60 s \(43\.8 M checks/);
    expect(operator.platform.changes).toEqual([]);
    expect(existsSync(join(operator.dir, "vigil"))).toBe(false);
    await run(operator);
    expect(await run(operator, "--dry-run")).not.toContain("create the database");
  });

  it("says with --dry-run what it would do, which rights it needs and what that costs, before anybody signed in", async () => {
    const operator = newOperator();
    const refuse = () => Promise.reject(new NotSignedIn());
    const instead: Platform = { ...EMPTY_ACCOUNT, api: refuse, list: refuse };
    const plan = await run({ ...operator, instead }, "--dry-run", "--zone", "your.example");
    expect(plan).toContain("Not signed in to Cloudflare");
    expect(plan).toContain("Deployment vigil to https://vigil.<your-subdomain>.workers.dev would:");
    expect(plan).toContain("create the database vigil");
    expect(plan).toContain("Permissions of its API token: D1 (edit)");
    expect(plan).toContain("DNS (edit)");
    expect(plan).toMatch(/Monthly cost of 100 monitors/);
    await expect(run({ ...operator, instead })).rejects.toThrow("not signed in");
  });

  it("says with --dry-run what a day takes of each resource of the free plan, and whether that fits", async () => {
    const operator = newOperator();
    operator.platform.plan = "free";
    const plan = await run(operator, "--plan", "free", "--dry-run");
    expect(plan).toContain("create the queue vigil-checks");
    expect(plan).not.toContain("deploy vigil-checker");
    expect(plan).toContain("A day of 50 monitors every 300 s on the Workers Free plan:");
    expect(plan).toMatch(/4,\d{3} of +10,000 +queue operations +4\d %/);
    expect(plan).toMatch(/of +100,000 +database rows written +1\d %/);
    expect(plan).toContain("The plan holds them.");
    const many = await run(operator, "--plan", "free", "--dry-run", "--monitors", "51", "--interval", "300");
    expect(many).toContain("The plan does not hold them: the Workers Free plan has room for 50 monitors.");
    const often = await run(operator, "--plan", "free", "--dry-run", "--monitors", "20", "--interval", "60");
    expect(often).toContain("room for 10 checks a minute");
    expect(often).toMatch(/queue operations +9\d %|queue operations +too many/);
    expect(operator.platform.changes).toEqual([]);
  });

  it("deploys to an account on the free plan, without checkers and limits of its own, and stays with that plan", async () => {
    const operator = newOperator();
    const { platform } = operator;
    platform.plan = "free";
    operator.release = { ...release, config: { ...release.config, limits: { cpu_ms: 30_000 } } };
    await expect(run(operator, "--regions", "none")).rejects.toThrow(/CPU limits are not supported/);
    expect(await run(operator, "--plan", "free")).toContain("ready https://vigil.somebody.workers.dev");
    expect([...platform.workers.keys()]).toEqual(["vigil"]);
    expect(platform.workers.get("vigil")?.config).toMatchObject({ vars: { PLAN: "free", REGIONS: "" }, services: [] });
    await run({ ...operator, dir: temporaryDir() });
    expect(platform.workers.get("vigil")?.config.vars.PLAN).toBe("free");
    await expect(run(operator, "--regions", "weur")).rejects.toThrow(/--plan free checks from one place/);
    platform.plan = "paid";
    await run(operator, "--plan", "paid", "--regions", "weur");
    expect(platform.workers.get("vigil")?.config.vars).not.toHaveProperty("PLAN");
    expect(platform.workers.has("vigil-checker-weur")).toBe(true);
  });

  it("asks for what it cannot know", async () => {
    const operator = newOperator();
    operator.platform.accounts.push({ id: "b".repeat(32), name: "Another" });
    await expect(run(operator)).rejects.toThrow(/set CLOUDFLARE_ACCOUNT_ID to one of[\s\S]*Another/);
    operator.platform.accounts.pop();
    operator.platform.user = null;
    await expect(run(operator)).rejects.toThrow(/--owner you@your\.example/);
    expect(await run(operator, "--owner", "me@mail.example")).toContain("API token of me@mail.example");
  });

  it.each([
    [["--name", "Not A Name"], /--name must be/],
    [["--owner", "nobody"], /--owner must be/],
    [["--regions", "mars"], /--regions must be none or of/],
    [["--monitors", "many"], /--monitors must be a number/],
    [["--plan", "gold"], /--plan must be paid or free/],
    [["--domain", "no host"], /--domain must be a host name/],
  ])("refuses %j", (args, reason) => {
    expect(() => readOptions(args)).toThrow(reason);
  });

  it("makes a configuration that wrangler accepts", async () => {
    const operator = newOperator();
    await run(operator, "--name", "staging");
    const config = join(operator.dir, "staging/wrangler.json");
    const args = [WRANGLER, "deploy", "--dry-run", "--config", config, "--outdir", join(operator.dir, "out")];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PROJECT_ROOT });
    for (const queue of ["staging-checks", "staging-deliveries"]) expect(stdout).toContain(queue);
    expect(existsSync(join(operator.dir, "out/worker.js"))).toBe(true);
  });
});

describe("npm run upgrade -- --check", () => {
  const checkout = readCheckout();
  const plan = (operator: Operator, changes: Partial<Checkout> = {}) => {
    const { platform, dir } = operator;
    const deployment = { options: readOptions([]), platform, files: deploymentFiles(dir, "vigil"), release, env: {} };
    return planUpgrade({ ...deployment, target: "https://example.com/", print: () => {} }, { ...checkout, ...changes });
  };

  it("says what would change, and changes nothing", async () => {
    const operator = newOperator();
    await run(operator);
    const { deployed } = await plan(operator);
    operator.platform.queues.delete("vigil-mail-dlq");
    operator.platform.workers.delete("vigil-checker-apac");
    const before = operator.platform.changes.length;
    const migrations = [...checkout.migrations, "9999_next.sql"];
    const changelog = `# Changelog\n\n## [9.0.0] - 2030-01-01\n\n- New.\n\n## [${deployed}] - 2026-01-01\n\n- Old.\n`;
    expect((await plan(operator, { version: "9.0.0", migrations, changelog })).changes).toEqual([
      `version: ${deployed} -> 9.0.0`,
      "migration to apply: 9999_next.sql",
      "queue to create: vigil-mail-dlq",
      "checker to deploy: vigil-checker-apac",
      "changelog [9.0.0] - 2030-01-01",
      "  - New.",
    ]);
    expect(operator.platform.changes).toHaveLength(before);
  });

  it("refuses to go back, and what was never deployed", async () => {
    const operator = newOperator();
    await expect(plan(operator)).rejects.toThrow(/no deployment vigil/);
    await run(operator);
    await expect(plan(operator, { migrations: checkout.migrations.slice(1) })).rejects.toThrow(/newer release/);
  });
});

describe("the cost of a deployment", () => {
  it("is little more than the plan for a few monitors, and grows with the checks", () => {
    expect(computeMonthlyCost({ monitors: 10, interval: 300 }).usd).toBeGreaterThan(5);
    expect(computeMonthlyCost({ monitors: 10, interval: 300 }).usd).toBeLessThan(6);
    const thousand = computeMonthlyCost({ monitors: 1000, interval: 60 }).usd;
    expect(thousand).toBeGreaterThan(5);
    expect(thousand).toBeLessThan(15);
    const million = computeMonthlyCost({ monitors: 10_000, interval: 60 });
    expect((million.usd / million.checks) * 1e6).toBeLessThan(0.25);
  });
});

describe("the check of a deployed service", () => {
  let service: Service;
  const target = createServer((_, response) => response.end("ok"));
  beforeAll(async () => {
    target.listen(0, "127.0.0.1");
    service = await startService({ env: { EGRESS_ALLOW: "127.0.0.1", RATE_LIMITS: "all=off", LOG_LEVEL: "warn" } });
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await service?.stop();
    target.close();
  });

  const newDeployment = (address: string) => ({
    platform: new FakeCloudflare(service),
    dir: temporaryDir(),
    target: address,
  });
  const count = async (table: string) =>
    (await service.execute([{ sql: `SELECT count(*) AS n FROM ${table}`, params: [] }]))[0]?.[0]?.n;

  it("uses the real service and leaves nothing behind", async () => {
    const output = await run(newDeployment(`http://127.0.0.1:${(target.address() as AddressInfo).port}/`));
    expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+\/ was checked: up/);
    expect(output).toContain("a heartbeat was received");
    expect([await count("monitors"), await count("api_tokens"), await count("users")]).toEqual([0, 1, 1]);
  });

  it("fails where the service cannot check anything", async () => {
    const unresolvable = newDeployment("http://watched.example.com/");
    await expect(run(unresolvable)).rejects.toThrow(/cannot check http:\/\/watched\.example\.com/);
    expect([await count("monitors"), await count("api_tokens")]).toEqual([0, 1]);
  });
});
