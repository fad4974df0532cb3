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

describe("where an outage is seen", () => {
  const down = (locations_down: string[], locations_total: number) => {
    const data = { ...EVENT_EXAMPLES["monitor.down"], region: "weur", locations_down, locations_total };
    const { text, facts } = composeAlert(eventOf("monitor.down", "public", data), READER);
    return [text, ...facts.flatMap(({ label, value }) => (label === "Region" ? [`${label}: ${value}`] : []))];
  };

  it.each([
    [
      ["weur", "enam", "apac"],
      3,
      "HTTP 500, failing from 3 of 3 locations: Western Europe, Eastern North America, Asia-Pacific",
    ],
    [["weur", "enam"], 3, "HTTP 500, failing from 2 of 3 locations: Western Europe, Eastern North America"],
  ])("counts and names all of %j, not the last one", (locations, total, text) => {
    expect(down(locations, total)).toEqual([text]);
  });

  it("is the region where one checks", () => expect(down(["weur"], 1)).toEqual(["HTTP 500", "Region: Western Europe"]));
});

describe("how long something lasted", () => {
  const factsOf = (name: "monitor.up" | "incident.resolved", data: object) => {
    const event = eventOf(name, "public", { ...EVENT_EXAMPLES[name], ...data });
    return composeAlert(event, READER).facts.flatMap(({ label, value }) =>
      ["Down", "Open", "Lasted"].includes(label) ? [`${label}: ${value}`] : [],
    );
  };

  it.each([
    ["02:30:05", "02:30:35", 30, ["Down: 21 Nov 2026, 03:30:05 to 03:30:35 CET", "Lasted: 30 seconds"]],
    ["02:59:50", "03:00:20", 30, ["Down: 21 Nov 2026, 03:59:50 to 04:00:20 CET", "Lasted: 30 seconds"]],
    ["22:59:59", "23:00:01", 2, ["Down: 21 Nov 2026, 23:59:59 to 22 Nov 2026, 00:00:01 CET", "Lasted: 2 seconds"]],
    ["02:30:05", "02:31:05", 60, ["Down: 21 Nov 2026, 03:30 to 03:31 CET", "Lasted: 1 minute"]],
  ])("from %s to %s shows seconds where minutes would not", (from, to, duration_seconds, read) => {
    const data = { outage_started_at: `2026-11-21T${from}.000Z`, since: `2026-11-21T${to}.000Z`, duration_seconds };
    expect(factsOf("monitor.up", data)).toEqual(read);
  });

  it("is shown of incidents alike", () => {
    const data = { started_at: "2026-11-21T02:30:05.000Z", resolved_at: "2026-11-21T02:30:50.000Z" };
    expect(factsOf("incident.resolved", data)).toEqual([
      "Open: 21 Nov 2026, 03:30:05 to 03:30:50 CET",
      "Lasted: 45 seconds",
    ]);
  });
});
