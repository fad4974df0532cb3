import { expect, it } from "vitest";
import { refusalOfRun } from "./trusted-workflows.ts";

const run = { repository: "Shop/Site", repository_id: "7", ref: "refs/heads/main", environment: "production" };
const trusted = { repository: "shop/site", repository_id: null, branch: null, environment: null };

it.each([
  ["any of its repository", trusted, null],
  ["all that is asked", { ...trusted, repository_id: "7", branch: "main", environment: "production" }, null],
  ["another repository", { ...trusted, repository: "shop/site2" }, "repository Shop/Site is not the trusted one"],
  [
    "a new repository of an old name",
    { ...trusted, repository_id: "6" },
    expect.stringContaining("another than the one"),
  ],
  ["another branch", { ...trusted, branch: "release" }, "refs/heads/main is not the trusted branch"],
  ["a branch that begins alike", { ...trusted, branch: "mai" }, "refs/heads/main is not the trusted branch"],
  ["another environment", { ...trusted, environment: "staging" }, "environment production is not the trusted one"],
])("judges a run by %s", (_name, conditions, refusal) => {
  expect(refusalOfRun(conditions, run)).toEqual(refusal);
});

it("trusts no tag of the branch's name, and no job without the environment", () => {
  expect(refusalOfRun({ ...trusted, branch: "main" }, { ...run, ref: "refs/tags/main" })).toContain("refs/tags/main");
  expect(refusalOfRun({ ...trusted, environment: "production" }, { ...run, environment: null })).toContain(
    "no environment",
  );
});
