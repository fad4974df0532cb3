import { expect, it } from "vitest";
import { findCeiling, simulateDay } from "../../scripts/scale.ts";

const FLEETS = [10_000, 100_000, 1_000_000];

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
/** Two digits: the assumptions hold no more. */
const round = (count: number) => Number(count.toPrecision(2)).toLocaleString("en-US");

function describeParts(): string[] {
  const heads = ["Part", "Limit", ...FLEETS.map((fleet) => fleet.toLocaleString("en-US")), "Full at"];
  const days = FLEETS.map(simulateDay);
  return [
    row(heads),
    row(heads.map((_head, n) => (n < 2 ? "---" : "---:"))),
    ...simulateDay(1).map(({ name, limit, unit }, n) => {
      const shares = days.map((parts) => percent((parts[n]?.used ?? 0) / limit));
      return row([name, `${limit.toLocaleString("en-US")} ${unit}`, ...shares, `${round(findCeiling(name))} monitors`]);
    }),
  ];
}

function describeScale(): string {
  return [
    "# Scale",
    "",
    "How large an installation can grow, and what would be changed for more. `npm run costs` generates this page; the table is",
    "made by `scripts/scale.ts`, from units that tests hold the service to and limits that Cloudflare publishes. Monitors are",
    "checked every minute from one region.",
    "",
    "## Ceilings",
    "",
    "The share of each part's limit that a fleet uses in its busiest second of a day:",
    "",
    ...describeParts(),
    "",
    "Objects have no ceiling: each monitor, shard and open page has its own, and none of them serves all. Heartbeats and pushes go to",
    "the object of their monitor and touch no shared part until a status changes.",
    "",
    "Assumed: 20 changes of status a month for each monitor, 12 rows written for one with its event and two deliveries, 300 ms a",
    "check, and one row a millisecond for the database's only writer.",
    "",
    "A part that is full delays and loses nothing: messages wait in their queue, checks start late and pages say so,",
    "and `/health` names the age of what waits.",
    "",
    "## Beyond one database",
    "",
    "The database is full first. The next step divides it by account, because every row belongs to the account of its owner:",
    "",
    "- **Directory database**: users, sessions, API tokens, memberships, invitations, slugs and host names of status pages, and the",
    "  schedule (`check_groups`); of each account the key of its database.",
    "- **Account databases**: everything else, by `owner_id`. A new account goes to the emptiest database.",
    "- **Messages** carry the key of the database beside the ids that they carry today; a consumer opens that database. Objects keep the",
    "  key with their configuration. Groups are made of monitors of one database, so that one message opens one database.",
    "- **Sharing**: a member of pages of several accounts has one directory entry for each; lists of a user read at most as many",
    "  databases as that user has accounts, side by side.",
    "- **Moving an account**: pause its plan of checks, copy its rows, raise the epoch of the account, switch the directory entry, resume.",
    "  Objects load their configuration again because of the epoch. Nothing that was accepted meanwhile is lost: pushes are kept by",
    "  their objects until they are confirmed.",
    "- **Readers** of public pages use replicas through sessions of the database; the page's version says whether a replica is recent.",
    "- **History** older than two days moves from prober objects to R2, a file for each shard and day.",
    "",
  ].join("\n");
}

it("docs/scale.md says what the simulation finds (npm run costs writes it anew)", async () => {
  await expect(describeScale()).toMatchFileSnapshot("../../docs/scale.md");
});
