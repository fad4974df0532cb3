import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backUpRemote, restoreRemote } from "../../scripts/backup/remote.ts";
import { createCloudflare } from "../../scripts/deploy/cloudflare.ts";
import { deploymentFiles } from "../../scripts/deploy/record.ts";
import { REGION_PLACES } from "../../src/contract/regions.ts";
import { CloudflareServer } from "../support/cloudflare-server.ts";
import { newOperator, type Operator, release, run } from "./operator.ts";
import { temporaryDir } from "./support.ts";

/** Each run starts wrangler three times, which bundles the Worker. */
const TIMEOUT_MS = 180_000;
const DOMAIN = "status.watch.example";
const OTHERS = 70;
const ARGS = ["--domain", DOMAIN, "--zone", "watch.example", "--regions", "weur"];

describe("a deployment by the real wrangler", { timeout: TIMEOUT_MS }, () => {
  let server: CloudflareServer;
  let operator: Operator;
  beforeEach(async () => {
    const { platform: account, dir } = newOperator();
    account.addZone("watch.example");
    server = new CloudflareServer(account);
    const api = await server.start();
    const env = { ...process.env, ...api };
    const real = createCloudflare(env);
    const instead = { ...real, fetch: account.fetch.bind(account), sleep: async () => {} };
    operator = { platform: account, instead, dir, env: api };
  });
  afterEach(() => server.stop());

  it("asks nothing of the API that is not documented, is repeated, and is removed whole", async () => {
    const { platform: account } = operator;
    // Of others, so that what is ours is on later pages.
    for (let n = 0; n < OTHERS; n++) {
      account.queues.set(`another-${n}`, `q${n}`);
      account.namespaces.set(`Another ${n}`, `n${n}`);
    }
    expect(await run(operator, ...ARGS)).toContain(`ready https://${DOMAIN}`);
    expect(server.mistakes).toEqual([]);
    expect(server.crons.get("vigil")).toEqual(["* * * * *"]);
    expect(account.workers.get("vigil")?.config).toMatchObject({
      workers_dev: false,
      routes: [{ pattern: DOMAIN, custom_domain: true }],
      services: [{ binding: "CHECKER_WEUR", service: "vigil-checker-weur" }],
    });
    expect(account.workers.get("vigil")?.config.queues?.consumers).toHaveLength(16);
    expect(server.uploads.get("vigil-checker-weur")?.placement).toMatchObject({ region: REGION_PLACES.weur.placement });
    expect(server.uploads.get("vigil")?.assets?.config).toEqual({
      run_worker_first: ["/*", "!/assets/dashboard/*", "!/assets/status-page/fonts/*"],
      _headers: expect.stringContaining("immutable"),
    });
    const secrets = new Map(account.workers.get("vigil")?.secrets);
    const before = account.changes.length;

    expect(await run(operator)).toContain(`ready https://${DOMAIN}`);
    expect(server.mistakes).toEqual([]);
    const changes = account.changes.slice(before).filter((change) => change !== "write to the database");
    expect(changes).toEqual([
      "upload vigil-checker-weur",
      "serve vigil-checker-weur 100%",
      "upload vigil",
      "serve vigil 100 and 0%",
      "serve vigil 100%",
    ]);
    expect(account.workers.get("vigil")?.secrets).toEqual(secrets);

    await run(operator, "--destroy", "--confirm", "vigil");
    expect(server.mistakes).toEqual([]);
    const { databases, namespaces, queues, workers } = account;
    expect([databases.size, namespaces.size, queues.size, workers.size]).toEqual([0, OTHERS, OTHERS, 0]);
  });

  it("fills a second deployment from a backup of the first one", async () => {
    const { platform: account, instead: platform = account, dir, env = {} } = operator;
    await run(operator, "--regions", "none");
    const remote = (name: string) => {
      return { name, platform, release, env, tmpDir: temporaryDir(), files: deploymentFiles(dir, name) };
    };
    const database = account.databases.get("vigil")?.database;
    const title = "it's long; 😀\n".repeat(20_000);
    database?.prepare("UPDATE users SET name = ?").run(title);
    const file = join(dir, "vigil.backup");
    await backUpRemote(remote("vigil"), file, undefined);
    await restoreRemote(remote("second"), file, undefined);
    expect(server.mistakes).toEqual([]);
    const users = (name: string) => account.databases.get(name)?.database.prepare("SELECT * FROM users").all();
    expect(users("second")).toEqual(users("vigil"));
    expect(users("second")).toMatchObject([{ name: title }]);
  });

  it("deploys to an account that refuses what the free plan has not", async () => {
    const { platform: account } = operator;
    account.plan = "free";
    server.crons.set("another", ["0 * * * *", "1 * * * *", "2 * * * *", "3 * * * *"]);
    expect(await run(operator, "--plan", "free")).toContain("ready https://vigil.somebody.workers.dev");
    expect(server.mistakes).toEqual([]);
    expect([...account.workers.keys()]).toEqual(["vigil"]);
    expect(server.crons.get("vigil")).toEqual(["* * * * *"]);
    expect(account.workers.get("vigil")?.config.vars).toMatchObject({ PLAN: "free", REGIONS: "" });
    server.crons.set("another", ["0 * * * *", "1 * * * *", "2 * * * *", "3 * * * *", "4 * * * *"]);
    await expect(run(operator)).rejects.toThrow(/limit of 5 cron triggers/);
  });

  it("goes on without a region near which no Worker is placed, and says why, where the API has no list of them", async () => {
    const { platform: account } = operator;
    account.placements = null;
    const output = await run(operator, "--regions", "afr");
    expect(output).toMatch(/^ {2}left out: .*no placement region aws:af-south-1/m);
    expect(output).toContain("ready https://vigil.somebody.workers.dev");
    expect(account.workers.get("vigil")?.config).toMatchObject({ workers_dev: true, services: [] });
    expect(server.mistakes).toEqual([]);
  });
});

describe("the recorder of requests", () => {
  it.each([
    ["GET", "/accounts?per_page=100", undefined, /per_page/],
    ["GET", "/accounts/0123456789abcdef0123456789abcdef/storage/kv/namespaces?size=5", undefined, /size/],
    ["POST", "/accounts/0123456789abcdef0123456789abcdef/queues", { name: "vigil" }, /queue_name/],
    ["POST", "/accounts/0123456789abcdef0123456789abcdef/d1/database/1/export", {}, /no such operation/],
  ])("notes %s %s as a mistake and refuses it", async (method, path, body, mistake) => {
    const server = new CloudflareServer(newOperator().platform);
    const api = await server.start();
    try {
      const { list, api: call } = createCloudflare(api);
      await expect(method === "GET" ? list(path) : call("POST", path, body)).rejects.toThrow("400");
      expect(server.mistakes).toEqual([expect.stringMatching(mistake)]);
    } finally {
      server.stop();
    }
  });
});
