import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import {
  ASSUMED,
  type Assumptions,
  bytesPerMonitor,
  computeReaderQueries,
  countDatabases,
  DATA_CENTERS,
  type FaultDay,
  findCeiling,
  MESSAGES_PER_CHANGE,
  SHARD_BYTES,
  simulateFaultDay,
  simulateSecond,
  TABLE_PLACES,
  VARIED,
} from "../../scripts/scale.ts";
import { BYTES_PER_MONITOR, DATABASE_USE } from "../../src/domain/capacity.ts";
import { VERSION_SHARED_MS } from "../../src/domain/page-address.ts";

const FLEETS = [10_000, 100_000, 1_000_000];
const MILLION = 1_000_000;

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const whole = (count: number) => count.toLocaleString("en-US");
/** Two digits: the assumptions hold no more. */
const round = (count: number) => whole(Number(count.toPrecision(2)));

function describeParts(): string[] {
  const heads = ["Part", "Limit", ...FLEETS.map(whole), "Full at"];
  const fleets = FLEETS.map((fleet) => simulateSecond(fleet));
  return [
    row(heads),
    row(heads.map((_head, n) => (n < 2 ? "---" : "---:"))),
    ...simulateSecond(1).map(({ name, limit, unit }, n) => {
      const shares = fleets.map((parts) => percent((parts[n]?.used ?? 0) / limit));
      return row([name, `${whole(limit)} ${unit}`, ...shares, `${round(findCeiling(name))} monitors`]);
    }),
  ];
}

function describeFaultDays(): string[] {
  const days = FLEETS.map((fleet) => simulateFaultDay(fleet));
  const line = (name: string, read: (day: FaultDay) => string) => row([name, ...days.map(read)]);
  return [
    row(["", ...FLEETS.map(whole)]),
    row(["---", ...FLEETS.map(() => "---:")]),
    line("databases", ({ databases }) => String(databases)),
    line("checks", ({ checks }) => whole(checks)),
    line("database rows written", ({ rowsWritten }) => round(rowsWritten)),
    line("messages", ({ messages }) => round(messages)),
    line("object requests", ({ objectRequests }) => round(objectRequests)),
    line("a database's writer in its busiest minute", ({ writerMax }) => percent(writerMax)),
    line("consumers of a queue of checks in their busiest minute", ({ consumersMax }) => percent(consumersMax)),
    line("rows that wait at worst", ({ rowsWaitingMax }) => round(rowsWaitingMax)),
    line("minutes in which rows wait", ({ minutesWaiting }) => String(minutesWaiting)),
    line("seconds by which checks start late at worst", ({ latenessMax }) => latenessMax.toFixed(0)),
    line("dollars by list price", ({ usd }) => usd.toFixed(2)),
  ];
}

const ASSUMPTIONS: Record<keyof Assumptions, (value: number) => string> = {
  changes_per_month: (value) => `${value} changes of status a month for each monitor`,
  check_ms: (value) => `${whole(value)} ms a check`,
  rows_per_second: (value) => `${whole(value)} rows a second by a database's writer`,
  call_ms: (value) => `${value} ms a call of the database, a queue or an object`,
};

function describeVariations(): string[] {
  const heads = ["Assumed", "The first full part", "Full at", "Databases", "Minutes that rows wait", "Dollars"];
  const lines = (Object.keys(VARIED) as (keyof Assumptions)[]).flatMap((name) =>
    VARIED[name].map((value) => {
      const assumed = { ...ASSUMED, [name]: value };
      const [first] = simulateSecond(1, assumed)
        // A burst is late for minutes; it does not fill the part.
        .filter((part) => !part.name.includes("2 %"))
        .sort((one, other) => one.limit / one.used - other.limit / other.used);
      const { minutesWaiting, usd } = simulateFaultDay(MILLION, assumed);
      const text = ASSUMPTIONS[name](value);
      const shown = value === ASSUMED[name] ? `**${text}**` : text;
      const ceiling = `${round(findCeiling(first?.name ?? "", assumed))} monitors`;
      const day = [String(countDatabases(MILLION, assumed)), String(minutesWaiting), usd.toFixed(0)];
      return row([shown, first?.name ?? "", ceiling, ...day]);
    }),
  );
  return [row(heads), row(heads.map((_head, n) => (n < 2 ? "---" : "---:"))), ...lines];
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
    "The share of each part's limit that a fleet uses in its busiest second of an ordinary day, or where the row says so, of one",
    "with a fault:",
    "",
    ...describeParts(),
    "",
    "Objects grow in number and not in size: each monitor, shard and open page has its own. That of a shard keeps 90 days in",
    `${Math.ceil(SHARD_BYTES / 1e6)} MB of the 10 GB that an object may have, and is called once a minute, of 1,000 times a second. Two objects serve all:`,
    "the witness is called once a minute, and the meter once a minute by each isolate. Heartbeats and pushes go to the object of their",
    "monitor and touch no shared part until a status changes.",
    "",
    `Measured, as limits of tests: a change of status with its event and two deliveries writes ${DATABASE_USE.rows_per_change} rows, indexes included, and`,
    `sends at most ${MESSAGES_PER_CHANGE.events} messages of events and ${MESSAGES_PER_CHANGE.deliveries} of deliveries; it keeps ${whole(DATABASE_USE.bytes_per_change)} bytes, and its deliveries ${whole(DATABASE_USE.bytes_of_deliveries)} for a month;`,
    `a check keeps 8 bytes, and a message of 60 checks writes one row of the database. A monitor has ${whole(bytesPerMonitor(ASSUMED))} bytes after a`,
    "year. Planning a minute takes a query for 500 groups and a call for 100 messages.",
    "",
    "## Readers of public pages",
    "",
    "A page in memory, or ready in the cache, takes of the database that it names its version. The readers of one data center share",
    `that for ${VERSION_SHARED_MS / 1_000} s, however many they are. A page that is read without a pause in each of ${DATA_CENTERS} data centers:`,
    "",
    row(["Pages read all over the world", "queries a second", "of a database's thousand"]),
    row(["---", "---:", "---:"]),
    ...[1, 2, 4].map((pages) => {
      const queries = computeReaderQueries(pages);
      return row([String(pages), round(queries), percent(queries / 1_000)]);
    }),
    "",
    "Queries are read by the page's key and are not the writer's rows. What is neither in memory nor in the cache is built once for",
    "all readers by the page's object. On `workers.dev` data centers share nothing: each isolate asks twice a second.",
    "",
    "## What is assumed",
    "",
    "Four figures depend on the installation, or on the platform, and no test can hold them. This is what a million monitors come",
    "to where one of them is another; the bold ones are those of all other tables. Cloudflare says of the writer that a database",
    "processes one query at a time, a thousand a second where each takes a millisecond",
    "([limits](https://developers.cloudflare.com/d1/platform/limits/)). `GET /api/core/v1/uptime/capacity` counts changes and rows of",
    "an installation, and says what still fits by them.",
    "",
    ...describeVariations(),
    "",
    "Databases, minutes and dollars are those of the day below.",
    "",
    "A part that is full delays and loses nothing: messages wait in their queue, checks start late and pages say so,",
    "and `/health` names the age of what waits.",
    "",
    "## A day with a fault",
    "",
    "Simulated minute by minute: at noon 2 % of all targets hang at once, for 10 s each until the slow lane has them, and ten minutes",
    "later they are back. The fleet is divided over as many databases as its bytes, rows and checks need, each with queues of its own.",
    "",
    ...describeFaultDays(),
    "",
    "## Beyond one database",
    "",
    "The database is full first. The next step divides it by account, because every row belongs to the account of its owner:",
    "",
    `- **Directory database**: ${listTables("directory")}; and two new tables. \`accounts\` (\`owner_id\` primary key, \`database_key\`,`,
    "  `moving_since`) says where an account is. `addresses` (`kind`, `key` primary key, `owner_id`) leads from what a request",
    "  brings along to its account: slug, host name, hash of an agent's, feed's or scraper's token, push alias, link of a chat.",
    "- **Account databases**: all other tables, each row with the account that it names, or that the row names to which it belongs.",
    "  A new account goes to the emptiest database.",
    `- **Each database** has its own ${listTables("each")}: its monitors are planned and packed`,
    "  by themselves, and its own epoch shows when it alone was restored. The witness object keeps a tick for each.",
    "- **Messages** get one key more, `database`, in each schema of `src/contract/messages.ts`; a message without it, sent before the",
    "  step, means `main`. `CheckMessage` takes it from the planner, which runs once for each database: a shard holds monitors of one, so that",
    "  one message opens one database. `MinuteMessage` is sent once for each part and database. `EventMessage`, `DeliveryMessage`,",
    "  `SubscriberBatchMessage` and `MailMessage` take it from the scope that sends them. Objects keep it with their configuration.",
    "- **Queues** of checks, slow checks, events and deliveries are one set for each database, `checks-<key>` and so on, because the 250",
    "  consumers of a queue are full long before its 5,000 messages a second: the sender takes the set by the key in the message, and",
    "  `npm run deploy` creates the set with the database.",
    "- **Bindings** are named `DB` for the directory and `DB_<key>` for the others; the scope of a request or message opens one of them",
    "  by key, and everything below it stays as it is, because `src/data` sees one database.",
    "- **Migration** in three releases. The first creates `accounts` and `addresses`, fills them from the present rows, writes both",
    '  with every change, and sends `database: "main"`; the one database is directory and account database at once. The second reads',
    "  by them, and new accounts go to a second database. The third moves accounts, and each can stay where it is.",
    "- **Sharing**: a member of pages of several accounts has one directory entry for each; lists of a user read at most as many",
    "  databases as that user has accounts, side by side.",
    "- **Moving an account**: set `moving_since`, which pauses its checks and answers its changes with 503; copy its rows; switch the",
    "  directory entry; resume. Objects load their configuration again, because it was synced in the epoch of another database. Nothing that was accepted meanwhile is lost: pushes are kept by",
    "  their objects until they are confirmed.",
    "- **Readers** of public pages use replicas through sessions of the database; the page's version says whether a replica is recent.",
    "- **History** older than two days moves from prober objects to R2, a file for each shard and day.",
    "",
  ].join("\n");
}

it("docs/scale.md says what the simulation finds (npm run costs writes it anew)", async () => {
  await expect(describeScale()).toMatchFileSnapshot("../../docs/scale.md");
});

it("counts with the bytes that the capacity of an installation is computed with", () => {
  expect(bytesPerMonitor(ASSUMED)).toBe(BYTES_PER_MONITOR);
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
