import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { EVENT_NAMES } from "../../src/contract/events.ts";
import { LANGUAGES } from "../../src/contract/status-page.ts";
import { SUBSCRIBER_EVENTS } from "../../src/contract/subscriber.ts";
import { composeAlert, headline, NO_READER } from "../../src/domain/alert-messages.ts";
import {
  composeAlreadySubscribedMessage,
  composeConfirmationMessage,
  composeUpdateMessage,
} from "../../src/domain/subscriber-messages.ts";
import {
  composeDisabledNotice,
  composeFailureWarning,
  composeRecoveryNotice,
} from "../../src/domain/webhook-owner-notices.ts";
import { englishSubscriberTexts } from "../../src/language/texts.ts";
import { exampleEvent } from "../support/events.ts";
import { readSubscriberTexts } from "../support/texts.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const HOSTILE = "YOU WON";

/** Every text of an event as a user who means harm would choose it; what is no text of a user stays. */
function hostileEvent(name: string) {
  const { data } = exampleEvent({ name });
  const chosen = ["name", "title", "message", "description", "impact", "hostname"];
  const texts = Object.keys(data).filter((key) => chosen.some((word) => key.endsWith(word)));
  return exampleEvent({ name, data: Object.fromEntries(texts.map((key) => [key, HOSTILE])) });
}

const PAGE = { name: HOSTILE, timezone: "UTC", brand_color: null };
const FRAME = { page: PAGE, texts: englishSubscriberTexts() };
const LINKS = { page: "https://a.test", incident: null, manage: "https://a.test/m", unsubscribe: "https://a.test/u" };
const WEBHOOK = {
  id: "w",
  name: HOSTILE,
  provider: "generic",
  page_name: HOSTILE,
  failing_since: 0,
  last_error: HOSTILE,
  timezone: "UTC",
  public_url: "",
};
const NEWS = {
  event: "incident.created",
  title: HOSTILE,
  message: HOSTILE,
  status: "investigating",
  severity: "major",
  affected: [HOSTILE],
  starts_at: null,
  ends_at: null,
  incident_id: null,
  at: null,
};

const COMPOSED: [string, string][] = [
  ...[...EVENT_NAMES, "deploy.done"].map((name): [string, string] => [
    `an alert about ${name}`,
    headline(composeAlert(hostileEvent(name), NO_READER)),
  ]),
  ["an update for subscribers", composeUpdateMessage(FRAME, NEWS as never, LINKS).subject],
  ...[1, 40].map((total): [string, string] => [
    `an update for subscribers about ${total} together`,
    composeUpdateMessage(
      FRAME,
      { ...NEWS, together: { direction: "down", names: [HOSTILE], total, still_down: 0 } } as never,
      LINKS,
    ).subject,
  ]),
  [
    "a confirmation",
    composeConfirmationMessage(FRAME, { page: "https://a.test", confirm: "https://a.test/c" }).subject,
  ],
  ["a repeated subscription", composeAlreadySubscribedMessage(FRAME, LINKS).subject],
  ["a warning about a webhook", composeFailureWarning(WEBHOOK, 0).title],
  ["a webhook that works again", composeRecoveryNotice(WEBHOOK).title],
  ["the end of a webhook", composeDisabledNotice(WEBHOOK, { is_gone: false }).title],
];

describe("the subject of a mail", () => {
  it.each(COMPOSED)("of %s begins with words of the service", (_name, subject) => {
    expect(subject).toMatch(/^(?:[A-Z][a-z]+|A [a-z]+|\d+ [a-z]+)/);
    expect(subject.startsWith(HOSTILE)).toBe(false);
  });

  it.each(LANGUAGES)("to a subscriber in %s begins with words of the service", (language) => {
    const frame = { page: PAGE, texts: readSubscriberTexts(language) };
    const together = { direction: "up", names: [HOSTILE], total: 1, still_down: 0 };
    const subjects = [
      ...SUBSCRIBER_EVENTS.map((event) => composeUpdateMessage(frame, { ...NEWS, event } as never, LINKS).subject),
      composeUpdateMessage(frame, { ...NEWS, together } as never, LINKS).subject,
      composeConfirmationMessage(frame, { page: "https://a.test", confirm: "https://a.test/c" }).subject,
      composeAlreadySubscribedMessage(frame, LINKS).subject,
    ];
    for (const subject of subjects) expect(subject).toMatch(/^(?!YOU).*YOU WON/);
    expect(new Set(subjects).size).toBe(subjects.length);
  });

  it("is written as words, or composed by what is tested above", () => {
    const composed = ["composed.title", "draft.subject", "texts.labelled"];
    const files = globSync("src/**/*.{ts,tsx}", { cwd: ROOT }).filter(
      (file) => !/\.test\.ts$|src\/(cli|net|contract|ui|mail|features\/timeline)\//.test(file),
    );
    const written = files.flatMap((file) =>
      [...readFileSync(join(ROOT, file), "utf8").matchAll(/\bsubject: ([^,\n]+)/g)].map(([, value = ""]) =>
        value.trim(),
      ),
    );
    const texts = written.filter((value) => /^["'`]/.test(value));
    expect(texts.length).toBeGreaterThan(8);
    const isWords = (value: string) => /^["'`]([A-Z][a-z ]|\$\{kind\}: )/.test(value);
    expect(texts.filter((value) => !isWords(value))).toEqual([]);
    const others = written.filter((value) => /^[a-z]+\.[a-z]+\b/.test(value) && !/^z\./.test(value));
    expect(others.filter((value) => !composed.some((known) => value.startsWith(known)))).toEqual([]);
  });
});
