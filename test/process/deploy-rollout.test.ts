import { describe, expect, it } from "vitest";
import { newOperator, type Operator, run } from "./operator.ts";
import { temporaryDir } from "./support.ts";

const ONE_REGION = ["--regions", "weur"];

/** An account in which the service runs, and the version that serves. */
async function newService(): Promise<{ operator: Operator; before: string }> {
  const operator = newOperator();
  await run(operator, ...ONE_REGION);
  return { operator, before: serving(operator) };
}

/** The ids of the versions that requests go to, with their shares. */
function serving({ platform }: Operator): string {
  const versions = [...(platform.workers.get("vigil")?.versions ?? [])];
  return versions.flatMap(([id, { percentage }]) => (percentage > 0 ? `${id} ${percentage}%` : [])).join(", ");
}

const changesIn = ({ platform }: Operator, from: number) =>
  platform.changes.slice(from).filter((change) => change.startsWith("serve"));

describe("a new version", () => {
  it("serves everybody once it has worked while it served nobody", async () => {
    const { operator, before } = await newService();
    const from = operator.platform.changes.length;
    expect(await run(operator)).toContain("ready ");
    expect(serving(operator)).not.toBe(before);
    expect(serving(operator)).toMatch(/^\S+ 100%$/);
    expect(changesIn(operator, from)).toEqual(["serve vigil 100 and 0%", "serve vigil 100%"]);
  });

  it("is tried also where another machine, or a workflow, deploys it", async () => {
    const { operator } = await newService();
    const from = operator.platform.changes.length;
    await run({ ...operator, dir: temporaryDir() });
    expect(changesIn(operator, from)[0]).toBe("serve vigil 100 and 0%");
  });

  it.each([
    ["gives no answer", { isAnswering: false }, /health gives no answer of it: status 500/],
    ["cannot be used", { isUsable: false }, /POST \/api\/uptime\/v1\/monitors: 500/],
  ])("that %s never serves anybody", async (_what, conduct, reason) => {
    const { operator, before } = await newService();
    const from = operator.platform.changes.length;
    operator.platform.conduct = { ...operator.platform.conduct, ...conduct };
    await expect(run(operator)).rejects.toThrow(reason);
    expect(serving(operator)).toBe(before);
    expect(changesIn(operator, from)).toEqual(["serve vigil 100 and 0%", "serve vigil 100%"]);
  });

  it("that fails for those who use it is taken back", async () => {
    const { operator, before } = await newService();
    operator.platform.conduct.failureShare = 0.5;
    await expect(run(operator)).rejects.toThrow(/50\.0% of its requests fail, 0\.0% did in the hour before/);
    expect(serving(operator)).toBe(before);
  });

  it("is watched by its answers alone where the login may not read analytics, which is said", async () => {
    const { operator, before } = await newService();
    operator.platform.mayReadAnalytics = false;
    expect(await run(operator)).toContain("lacks Account Analytics (read)");
    expect(serving(operator)).not.toBe(before);
  });

  it("serves at once where it brings a new kind of object, and where that is asked for", async () => {
    const { operator } = await newService();
    const from = operator.platform.changes.length;
    operator.platform.hasNewObjects = true;
    expect(await run(operator)).toContain("a new kind of object");
    operator.platform.hasNewObjects = false;
    await run(operator, "--at-once");
    expect(changesIn(operator, from)).toEqual([]);
    expect(operator.platform.changes.filter((change) => change === "deploy vigil")).toHaveLength(3);
  });

  it("serves at once at an address that the one before it did not have", async () => {
    const { operator } = await newService();
    operator.platform.addZone("watch.example");
    expect(await run(operator, "--domain", "status.watch.example")).toContain("ready https://status.watch.example");
  });
});

describe("a checker that cannot be deployed", () => {
  it("leaves the service up in its other regions", async () => {
    const operator = newOperator();
    operator.platform.refused.add("vigil-checker-enam");
    const output = await run(operator, "--regions", "weur,enam");
    expect(output).toContain("left out: wrangler deploy failed: vigil-checker-enam is refused");
    expect(output).toContain("ready ");
    expect(operator.platform.workers.get("vigil")?.config.vars.REGIONS).toBe("weur");
  });

  it("stays as it was where it ran before, and the service keeps it", async () => {
    const { operator } = await newService();
    operator.platform.refused.add("vigil-checker-weur");
    expect(await run(operator)).toContain("stays as it was, run again to deploy it");
    expect(operator.platform.workers.get("vigil")?.config).toMatchObject({
      vars: { REGIONS: "weur" },
      services: [{ service: "vigil-checker-weur" }],
    });
  });
});
