import { describe, expect, it } from "vitest";
import { EVENT_EXAMPLES } from "../contract/event-examples.ts";
import { EVENT_NAMES, EVENTS, type NewEvent, parseEvent } from "../contract/events.ts";
import { composeAlert, textBeside } from "./alert-messages.ts";

const READER = { public_url: "https://vigil.example", timezone: "Europe/Berlin" };
const eventOf = (name: string, classification: NewEvent["classification"], data: object): NewEvent =>
  parseEvent({
    id: "e",
    owner_id: "o",
    status_page_id: null,
    monitor_id: null,
    name,
    classification,
    data: { ...data },
    created_at: 0,
  });
const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

describe("composeAlert", () => {
  it.each(EVENT_NAMES)("says of %s nothing twice, also where its text is its title", (name) => {
    const example = EVENT_EXAMPLES[name];
    const repeating = { ...example, ...("title" in example && { message: `${example.title}.` }) };
    for (const data of [example, repeating]) {
      const { title, text, facts } = composeAlert(eventOf(name, EVENTS[name].classification, data), READER);
      expect(wordsOf(title)).not.toBe("");
      expect(` ${wordsOf(text)} `).not.toContain(` ${wordsOf(title)} `);
      for (const { value } of facts) expect(wordsOf(value)).not.toBe(wordsOf(title));
    }
  });

  it.each(["description", "message"])("repeats no title of an event of people as its %s", (member) => {
    const { title, text } = composeAlert(
      eventOf("disk.full", "public", { title: "Disk full", [member]: "Disk full." }),
      READER,
    );
    expect([title, text]).toEqual(["Disk full", ""]);
  });

  it.each([
    ["Disk full", "disk  full.", ""],
    ["Disk full", "Disk full on db-1.", "Disk full on db-1."],
    ["Disk full.", " What we know:\nnothing ", "What we know:\nnothing"],
  ])("leaves of %j and %j the text %j", (title, text, left) => expect(textBeside(title, text)).toBe(left));
});
