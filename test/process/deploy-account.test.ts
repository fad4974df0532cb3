import { describe, expect, it } from "vitest";
import { EMPTY_ACCOUNT } from "../../scripts/deploy/empty-account.ts";
import { listAll, type Platform } from "../../scripts/deploy/platform.ts";
import { REGION_PLACES } from "../../src/contract/regions.ts";
import { newOperator, run } from "./operator.ts";

describe("the lists of an account", () => {
  const listed = async (list: Platform["list"]) => {
    const asked: string[] = [];
    const platform: Platform = {
      ...EMPTY_ACCOUNT,
      list(path) {
        asked.push(path);
        return list(path);
      },
    };
    return { entries: await listAll(platform, "/things"), asked };
  };
  const numbers = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));
  const pageOf = (path: string) => Number(new URL(path, "https://api.invalid").searchParams.get("page"));

  it.each([
    ["names the pages", 120, 50, (total: number) => ({ total_pages: Math.ceil(total / 50) }), 3],
    ["counts its entries", 120, 50, (total: number) => ({ total_count: total }), 3],
    ["has smaller pages than asked for", 25, 10, () => ({ per_page: 10 }), 3],
    ["is empty", 0, 50, () => ({ total_pages: 0, total_count: 0 }), 1],
  ])("are read to their end where the API %s", async (_name, total, size, info, requests) => {
    const all = numbers(total);
    const { entries, asked } = await listed(async (path) => {
      const from = (pageOf(path) - 1) * size;
      return { entries: all.slice(from, from + size), info: info(total) };
    });
    expect(entries).toEqual(all);
    expect(asked).toHaveLength(requests);
    expect(asked[0]).toBe("/things?page=1&per_page=50");
  });

  it.each([
    ["says nothing of pages", undefined],
    ["gives the whole at any page", { per_page: 50 }],
  ])("are read once, whole, where the API %s", async (_name, info) => {
    const all = numbers(100);
    const { entries, asked } = await listed(async () => ({ entries: all, info }));
    expect(entries).toEqual(all);
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it("ask for no more than accounts and zones allow, and find what is on the third page", async () => {
    const operator = newOperator();
    const { accounts, queues } = operator.platform;
    await run(operator, "--regions", "none");
    for (let n = 0; n < 130; n++) queues.set(`another-${n}`, `id-${n}`);
    for (const [name, id] of [...queues].filter(([name]) => name.startsWith("vigil-"))) {
      queues.delete(name);
      queues.set(name, id);
    }
    const before = operator.platform.changes.length;
    await run(operator, "--regions", "none");
    expect(operator.platform.changes.slice(before).some((change) => change.startsWith("create"))).toBe(false);
    accounts.push(...Array.from({ length: 80 }, (_, n) => ({ id: `${n}`, name: `Account ${n}` })));
    await expect(run({ ...operator, dir: `${operator.dir}/other` })).rejects.toThrow(/Account 79/);
  });
});

describe("what a login may not do", () => {
  it.each(["--dry-run", "--at-once"])("is named at once, before %s makes anything", async (option) => {
    const operator = newOperator();
    for (const part of ["d1", "queues"]) operator.platform.forbidden.add(part);
    await expect(run(operator, option)).rejects.toThrow(
      /lacks permissions of account \w+: D1 \(edit\), Queues \(edit\)$/,
    );
    expect(operator.platform.changes).toEqual([]);
  });
});

describe("what an account holds of others", () => {
  const CHANGES_NOTHING = async (operator: ReturnType<typeof newOperator>, reason: RegExp, ...args: string[]) => {
    const before = [...operator.platform.changes];
    await expect(run(operator, ...args)).rejects.toThrow(reason);
    expect(operator.platform.changes).toEqual(before);
  };
  const foreignWorker = (name: string) => ({
    config: { name, account_id: "", main: "", vars: { PUBLIC_URL: "https://shop.example" }, workers_dev: false },
    secrets: new Map<string, string>(),
    versions: new Map(),
  });

  it("refuses a Worker, a database and a namespace of its name that are not of this service", async () => {
    const worker = newOperator();
    worker.platform.workers.set("vigil", foreignWorker("vigil"));
    await CHANGES_NOTHING(worker, /Worker vigil that is not of this service.*another --name/);
    await CHANGES_NOTHING(worker, /Worker vigil that is not of this service/, "--destroy", "--confirm", "vigil");

    const database = newOperator();
    await database.platform.api("POST", `/accounts/${database.platform.accounts[0]?.id}/d1/database`, {
      name: "vigil",
    });
    database.platform.databases.get("vigil")?.database.exec("CREATE TABLE orders (id)");
    await CHANGES_NOTHING(database, /database vigil that is not of this service/);
    await CHANGES_NOTHING(database, /database vigil that is not/, "--destroy", "--confirm", "vigil");

    const namespace = newOperator();
    namespace.platform.namespaces.set("vigil-pages", "n1");
    namespace.platform.keys.set("n1", ["session:1"]);
    await CHANGES_NOTHING(namespace, /namespace vigil-pages that is not of this service/);
  });

  it("adopts what a first run left empty, and a namespace of our pages", async () => {
    const operator = newOperator();
    const account = operator.platform.accounts[0]?.id;
    await operator.platform.api("POST", `/accounts/${account}/d1/database`, { name: "vigil" });
    operator.platform.namespaces.set("vigil-pages", "n1");
    operator.platform.keys.set("n1", ["page:acme"]);
    expect(await run(operator)).toContain("ready ");
  });

  it("leaves a Worker alone whose name only begins like that of a checker", async () => {
    const operator = newOperator();
    operator.platform.workers.set("vigil-checker-of-mails", foreignWorker("vigil-checker-of-mails"));
    await run(operator, "--regions", "weur");
    await run(operator, "--destroy", "--confirm", "vigil");
    expect([...operator.platform.workers.keys()]).toEqual(["vigil-checker-of-mails"]);
  });

  it("refuses a host that serves something, and takes it over when asked to", async () => {
    const operator = newOperator();
    const zone = operator.platform.addZone("watch.example");
    zone.records.push({ id: "1", name: "www.watch.example", type: "A", content: "192.0.2.1" });
    await CHANGES_NOTHING(
      operator,
      /www\.watch\.example leads to A 192\.0\.2\.1.*--take-over/,
      "--domain",
      "www.watch.example",
    );
    expect(await run(operator, "--domain", "www.watch.example", "--take-over")).toContain("ready ");
    // Its own host is no conflict at the next run.
    expect(await run(operator)).toContain("ready ");
  });

  it("refuses the host of another Worker, and one that resolves where the login reads no records", async () => {
    const operator = newOperator();
    operator.platform.addZone("watch.example");
    await run(operator, "--domain", "status.watch.example", "--regions", "none");
    const other = { ...operator, dir: `${operator.dir}/other` };
    const taken = ["--name", "staging", "--regions", "none", "--domain"];
    await CHANGES_NOTHING(other, /leads to the Worker vigil already/, ...taken, "status.watch.example");
    other.platform.mayReadRecords = false;
    other.platform.resolved = ["192.0.2.7"];
    await CHANGES_NOTHING(other, /leads to 192\.0\.2\.7 already/, ...taken, "new.watch.example");
    other.platform.resolved = [];
    expect(await run(other, ...taken, "new.watch.example")).toContain("ready ");
  });

  it("refuses a zone whose host for the domains of pages serves something", async () => {
    const operator = newOperator();
    const zone = operator.platform.addZone("watch.example");
    zone.records.push({ id: "1", name: "pages.watch.example", type: "CNAME", content: "shop.example" });
    await expect(run(operator, "--zone", "watch.example")).rejects.toThrow(/pages\.watch\.example leads to CNAME shop/);
  });
});

describe("regions that Cloudflare places no Worker near", () => {
  it.each([
    [
      "that the API does not list",
      [REGION_PLACES.weur.placement],
      /leave the region afr out: Cloudflare places no Worker near aws:af-south-1/,
    ],
    ["that wrangler refuses", null, /left out: .*no placement region aws:af-south-1/],
  ])("are left out with a line, %s, and the service runs with the others", async (_name, placements, line) => {
    const operator = newOperator();
    operator.platform.placements = placements && [...placements, REGION_PLACES.wnam.placement];
    const output = await run(operator, "--regions", "wnam,afr");
    expect(output).toMatch(line);
    expect(output).toContain("ready ");
    const { vars, services } = operator.platform.workers.get("vigil")?.config ?? {};
    expect(vars?.REGIONS).toBe("wnam");
    expect(services?.map(({ binding }) => binding)).toEqual(["CHECKER_WNAM"]);
    // The choice is kept: once the region is offered, the next run deploys it.
    operator.platform.placements = [REGION_PLACES.afr.placement, REGION_PLACES.wnam.placement];
    await run(operator);
    expect(operator.platform.workers.get("vigil")?.config.vars.REGIONS).toBe("wnam,afr");
  });
});

describe("the clock of a new deployment", () => {
  it("is waited for, and named where it does not tick in time", async () => {
    const operator = newOperator();
    expect(await run(operator)).toContain("its clock ticks");
    operator.platform.isTicking = false;
    expect(await run(operator)).toMatch(/has not ticked yet.*15 minutes[\s\S]*ready/);
  });
});
