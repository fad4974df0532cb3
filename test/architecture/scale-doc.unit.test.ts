import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { findCeiling, SHARD_BYTES, simulateDay, simulateFaultDay, TABLE_PLACES } from "../../scripts/scale.ts";
import { BYTES_PER_MONITOR, CHANGES_PER_MONTH, DATABASE_USE } from "../../src/domain/capacity.ts";

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

function describeFaultDays(): string[] {
  const days = FLEETS.map(simulateFaultDay);
  const line = (name: string, read: (day: ReturnType<typeof simulateFaultDay>) => string) =>
    row([name, ...days.map(read)]);
  return [
    row(["", ...FLEETS.map((fleet) => fleet.toLocaleString("en-US"))]),
    row(["---", ...FLEETS.map(() => "---:")]),
    line("databases", ({ databases }) => String(databases)),
    line("rows written", ({ rowsWritten }) => round(rowsWritten)),
    line("messages of checks", ({ messages }) => round(messages)),
    line("rows that wait at worst", ({ rowsWaitingMax }) => round(rowsWaitingMax)),
    line("minutes in which rows wait", ({ minutesWaiting }) => String(minutesWaiting)),
    line("checks, in dollars by list price", ({ usd }) => usd.toFixed(2)),
  ];
}

/** In the order of the alphabet, as lines of the page. */
function listTables(place: keyof typeof TABLE_PLACES): string {
  return TABLE_PLACES[place].map((table) => `\`${table}\``).join(", ");
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
    "Objects grow in number and not in size: each monitor, shard and open page has its own. That of a shard keeps 90 days in",
    `${Math.ceil(SHARD_BYTES / 1e6)} MB of the 10 GB that an object may have, and is called once a minute, of 1,000 times a second. Two objects serve all:`,
    "the witness is called once a minute, and the meter once a minute by each isolate. Heartbeats and pushes go to the object of their",
    "monitor and touch no shared part until a status changes.",
    "",
    `Measured, as limits of tests: a change of status with its event and two deliveries writes ${DATABASE_USE.rows_per_change} rows, indexes included; it`,
    `keeps ${DATABASE_USE.bytes_per_change.toLocaleString("en-US")} bytes, and its deliveries ${DATABASE_USE.bytes_of_deliveries.toLocaleString("en-US")} for a month; a check keeps 8 bytes. A monitor has ${BYTES_PER_MONITOR.toLocaleString("en-US")} bytes`,
    "after a year.",
    "",
    `Assumed: ${CHANGES_PER_MONTH} changes of status a month for each monitor, 300 ms a check, and one row a millisecond, those of`,
    "indexes included, for the database's only writer.",
    "",
    "A part that is full delays and loses nothing: messages wait in their queue, checks start late and pages say so,",
    "and `/health` names the age of what waits.",
    "",
    "## A day with a fault",
    "",
    "Simulated minute by minute: at noon 2 % of all targets fail at once, and ten minutes later they are back. The fleet is divided",
    "over as many databases as its bytes need.",
    "",
    ...describeFaultDays(),
    "",
    "## Beyond one database",
    "",
    "The database is full first. The next step divides it by account, because every row belongs to the account of its owner:",
    "",
    `- **Directory database**: ${listTables("directory")}; and two new tables. \`accounts\` (\`owner_id\` primary key, \`database_key\`, \`epoch\`,`,
    "  `moving_since`) says where an account is. `addresses` (`kind`, `key` primary key, `owner_id`) leads from whatever a request",
    "  brings along to its account: slug, host name, hash of an agent's, feed's or scraper's token, push alias, link of a chat.",
    "- **Account databases**: all other tables, each row with the account that it names, or that the row names to which it belongs.",
    "  A new account goes to the emptiest database.",
    `- **Each database** has its own ${listTables("each")}.`,
    "- **Messages** get one key more, `database`, in each schema of `src/contract/messages.ts`; a message without it, sent before the",
    "  step, means `main`. `CheckMessage` takes it from `shards.database_key`: a shard holds monitors of one database, and is packed with others of it, so that one",
    "  message opens one database. `MinuteMessage` is sent once for each part and database. `EventMessage`, `DeliveryMessage`,",
    "  `SubscriberBatchMessage` and `MailMessage` take it from the scope that sends them. Objects keep it with their configuration.",
    "- **Bindings** are named `DB` for the directory and `DB_<key>` for the others; the scope of a request or message opens one of them",
    "  by key, and everything below it stays as it is, because `src/data` sees one database.",
    "- **Migration** in three releases. The first creates `accounts` and `addresses`, fills them from the present rows, writes both",
    '  with every change, and sends `database: "main"`; the one database is directory and account database at once. The second reads',
    "  by them, and new accounts go to a second database. The third moves accounts, and each can stay where it is.",
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

it("places tables that there are", () => {
  const data = resolve(import.meta.dirname, "../../src/data");
  const files = readdirSync(data, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const tables = files.flatMap((file) => {
    const text = readFileSync(join(data, file), "utf8");
    return [...text.matchAll(/sqliteTable\(\s*"(\w+)"/g)].map(([, name]) => name);
  });
  expect(tables).toEqual(expect.arrayContaining(Object.values(TABLE_PLACES).flat()));
});
