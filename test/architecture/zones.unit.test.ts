import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { EVENT_NAMES } from "../../src/contract/events.ts";
import { type AlertMessage, composeAlert } from "../../src/domain/alert-messages.ts";
import { composeBundle } from "../../src/domain/bundle-messages.ts";
import {
  composeEscalationMessage,
  composeExhaustedMessage,
  composeFollowUpMessage,
  composeUnreadableMessage,
  type EscalatedSubject,
} from "../../src/domain/escalation-messages.ts";
import {
  composeBeginningNotice,
  composeGapNotice,
  composeShiftReminder,
  describeBeginning,
  describeGap,
} from "../../src/domain/on-call-notices.ts";
import { composeUpdateMessage } from "../../src/domain/subscriber-messages.ts";
import { composeDisabledNotice, composeFailureWarning } from "../../src/domain/webhook-owner-notices.ts";
import { englishSubscriberTexts } from "../../src/language/texts.ts";
import { exampleEvent } from "../support/events.ts";

/** Readers live in several zones: a clock time without its zone, or two zones in one message, means nothing to them. */
const ROOT = resolve(import.meta.dirname, "../..");
const AT = Date.parse("2026-10-25T03:00:00Z");
const HOUR = 3_600_000;
const timezone = "Asia/Tokyo";
const READER = { public_url: "https://a.test", timezone, page_name: "Shop" };
const PAGE = { name: "Shop", timezone, brand_color: null };
const FRAME = { page: PAGE, texts: englishSubscriberTexts() };
const LINKS = { page: "https://a.test", incident: null, manage: "https://a.test/m", unsubscribe: "https://a.test/u" };
const SCHEDULE = { id: "s", name: "Primary", timezone };
const GAP = { start_at: AT, end_at: AT + HOUR, began_at: AT };
const STEP = { level: 2, step: 1, round: 0 };
const AROUND = { page: PAGE, links: [] };
const WEBHOOK = {
  id: "w",
  name: "Ops",
  provider: "generic",
  page_name: "Shop",
  failing_since: AT,
  last_error: "503",
  timezone,
  public_url: "",
};
const NEWS = {
  event: "maintenance.scheduled",
  title: "Disks",
  message: "New disks.",
  status: "scheduled",
  severity: null,
  affected: ["Shop"],
  starts_at: new Date(AT).toISOString(),
  ends_at: new Date(AT + HOUR).toISOString(),
  incident_id: null,
  at: new Date(AT).toISOString(),
};

const subject = (title: string): EscalatedSubject => ({
  title,
  text: "HTTP 503",
  severity: "major",
  started_at: AT,
  thread_id: "t",
});
const textOf = ({ title, text, facts }: AlertMessage) =>
  [title, text, ...facts.map(({ label, value }) => `${label}: ${value}`)].join("\n");

const TEXTS: [string, string][] = [
  ...EVENT_NAMES.map((name): [string, string] => [name, textOf(composeAlert(exampleEvent({ name }), READER))]),
  ...(["down", "up", "reminder"] as const).map((kind): [string, string] => [
    `many at once, ${kind}`,
    textOf(composeBundle({ kind, events: [exampleEvent(), exampleEvent()], size: 2 }, READER)),
  ]),
  ["an escalation", textOf(composeEscalationMessage([subject("Shop is down")], STEP, AROUND))],
  ["an escalation of many", textOf(composeEscalationMessage([subject("A"), subject("B")], STEP, AROUND))],
  ["what failed after it", textOf(composeFollowUpMessage([subject("C")], STEP, AROUND))],
  ["the end of an escalation", textOf(composeExhaustedMessage([subject("A")], "nobody_answered", AROUND))],
  ["a damaged escalation", textOf(composeUnreadableMessage({ title: "A", started_at: AT, thread_id: "t" }, AROUND))],
  ["a gap", textOf(composeGapNotice(SCHEDULE, { ...GAP, start_at: AT + HOUR }, { now: AT, links: [] }))],
  ["a gap in one line", describeGap(SCHEDULE, { ...GAP, start_at: AT + HOUR }, AT)],
  ["the beginning of a schedule", textOf(composeBeginningNotice(SCHEDULE, { at: AT, name: "Ada" }, []))],
  ["the beginning of a schedule in one line", describeBeginning(SCHEDULE, { at: AT, name: "Ada" })],
  [
    "a shift",
    textOf(composeShiftReminder(SCHEDULE, { user_id: "u", start_at: AT, end_at: AT + HOUR }, { now: AT, links: [] })),
  ],
  ["an update for subscribers", JSON.stringify(composeUpdateMessage(FRAME, NEWS as never, LINKS))],
  [
    "an incident for subscribers",
    JSON.stringify(
      composeUpdateMessage(FRAME, { ...NEWS, event: "incident.created", starts_at: null } as never, LINKS),
    ),
  ],
  ["a warning about a webhook", composeFailureWarning(WEBHOOK, AT).text],
  ["the end of a webhook", composeDisabledNotice(WEBHOOK, { is_gone: false }).text],
];

const NAMED = String.raw`(\((?:[A-Za-z]+/[A-Za-z_/]+|UTC)\)|GMT[+-]\d+|[A-Z]{3,4}\b)`;
const TIME = String.raw`\b\d{1,2}:\d{2}(?::\d{2})?\b`;
/** `04:00 CET`, `04:00 (Europe/Berlin)`, and a span that names its zone once. */
const CLOCK = new RegExp(`${TIME}(?: to (?:[^:"]*, )?${TIME})?(?: ${NAMED})?`, "g");

/** The zone of each clock time, undefined where it names none. Instants of programs name theirs by a Z. */
function zonesOf(text: string): (string | undefined)[] {
  const written = text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "").replace(/https?:\S+/g, "");
  return [...written.matchAll(CLOCK)].map(([, zone]) => zone);
}

describe("a clock time in a message", () => {
  it.each(TEXTS)("is in the zone of its reader, which it names: %s", (_name, text) => {
    for (const zone of zonesOf(text)) expect(["(Asia/Tokyo)", "GMT+9", "JST"], text).toContain(zone);
  });

  it("stands in these messages, so that this test reads some", () => {
    expect(TEXTS.flatMap(([, text]) => zonesOf(text)).length).toBeGreaterThan(12);
  });

  it("is formatted by what names the zone, wherever messages are written", () => {
    const files = globSync("src/{access,cli,delivery,domain,events,features,jobs,mail,notifiers,outbox}/**/*.ts", {
      cwd: ROOT,
    }).filter((file) => !file.endsWith(".test.ts"));
    expect(files.length).toBeGreaterThan(200);
    const bare = files.filter((file) =>
      /\bformatTime\(|new Intl\.DateTimeFormat\(|\.toLocale(?:Date|Time)?String\(/.test(
        readFileSync(join(ROOT, file), "utf8"),
      ),
    );
    expect(bare).toEqual([]);
  });
});
