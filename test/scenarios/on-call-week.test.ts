import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { aDay, type Day, MINUTE, transcriptOf } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { createSchedule, setPolicy } from "../support/on-call.ts";
import { useSink } from "../support/sink.ts";

/** A long weekend on call, as each of three people reads of it: two take turns, and the third owns the page. */

const sink = useSink();
const BERLIN = "Europe/Berlin";
const HOUR = 60 * MINUTE;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const transcript = (day: Day, who: string) => transcriptOf(day, who, BERLIN);

/** Friday, 23 October 2026, 08:00 in Berlin; clocks go back in the night to Sunday. */
const START = Date.parse("2026-10-23T06:00:00Z");
const atTime = (iso: string) => Date.parse(iso) - START;

it("sends each of two people who take turns, and the owner, one story that makes sense", async () => {
  const day = await aDay(sink, { start: START, page: { timezone: BERLIN, name: "Northwind" }, has_policy: false });
  const [shop, search] = [await day.addMonitor("Shop"), await day.addMonitor("Search")];
  const ben = await day.join("Ben");
  const cleo = await day.join("Cleo");
  const { account, status_page_id: page } = day;
  const duty = await createSchedule(
    { account, page },
    {
      name: "Duty",
      timezone: BERLIN,
      rotations: [
        { user_ids: [ben, cleo], start_at: "2026-10-23T09:00:00+02:00", period_hours: 24, handoff_time: "09:00" },
      ],
      // Cleo's Saturday night is Ben's: she is at a wedding.
      overrides: [
        {
          add_user_id: ben,
          remove_user_id: cleo,
          start_at: "2026-10-24T18:00:00+02:00",
          end_at: "2026-10-25T09:00:00+01:00",
        },
      ],
    },
  );
  await setPolicy({ account, page }, [
    { level: 1, wait_minutes: 0, contacts: [{ type: "schedule", value: duty.id, label: "Duty" }] },
    { level: 2, wait_minutes: 15, contacts: [{ type: "user", value: cleo, label: "Cleo" }] },
  ]);
  await day.passQuietlyUntil(atTime("2026-10-25T00:00:00Z"));
  // The night in which clocks go back: Ben is called, mutes what he works on, and the mute is over before he is done.
  await day.change(shop, "down", atTime("2026-10-25T00:30:00Z"));
  await day.passUntil(atTime("2026-10-25T00:35:00Z"));
  await day.mute(shop, HOUR);
  await day.passUntil(atTime("2026-10-25T01:40:00Z"));
  const { body: open } = await account.client.get(`${V1}/incidents?status_page_id=${page}&status=investigating`);
  await account.client.post(`${V1}/incidents/${open[0].id}/acknowledge`, {});
  await day.settleEvents();
  await day.change(shop, "up", atTime("2026-10-25T03:00:00Z"));
  await day.passQuietlyUntil(atTime("2026-10-25T10:30:00Z"));
  // Search fails at noon on Sunday, Ben's turn by the rotation; nobody answers.
  await day.change(search, "down", atTime("2026-10-25T11:00:00Z"));
  await day.change(search, "up", atTime("2026-10-25T12:00:00Z"));
  await day.passQuietlyUntil(atTime("2026-10-26T08:00:00Z"));
  // Monday morning, Cleo's turn: a window opens on an outage, which goes on after it.
  await day.change(shop, "down", atTime("2026-10-26T08:30:00Z"));
  await day.passUntil(atTime("2026-10-26T08:40:00Z"));
  await day.maintain([shop], 30 * MINUTE);
  await day.passUntil(atTime("2026-10-26T09:15:00Z"));
  await day.change(shop, "up", atTime("2026-10-26T09:20:00Z"));
  await day.passUntil(atTime("2026-10-26T10:00:00Z"));
  expect(await transcript(day, "Ben's mail")).toEqual([
    "Sat, 14:00 CEST Notice: Your on-call shift begins soon: Duty",
    "Sun, 02:30 CEST Alert: Shop is down",
    "Sun, 04:00 CET Resolved: Shop is up again",
    "Sun, 12:00 CET Alert: Search is down",
    "Sun, 13:00 CET Resolved: Search is up again",
    "Mon, 09:30 CET Alert: Shop is down",
    "Mon, 09:41 CET Maintenance started: Disks",
    "Mon, 10:10 CET Maintenance completed: Disks",
    "Mon, 10:20 CET Resolved: Shop is up again",
  ]);
  expect(await transcript(day, "Cleo's mail")).toEqual([
    "Sat, 02:00 CEST Notice: Your on-call shift begins soon: Duty",
    "Sun, 02:30 CEST Alert: Shop is down",
    // The mute is over and Ben has not answered yet.
    "Sun, 02:35 CET Nobody answered, now step 2: Shop is down",
    "Sun, 04:00 CET Resolved: Shop is up again",
    "Sun, 12:00 CET Alert: Search is down",
    "Sun, 12:15 CET Nobody answered, now step 2: Search is down",
    "Sun, 13:00 CET Resolved: Search is up again",
    "Mon, 01:00 CET Notice: Your on-call shift begins soon: Duty",
    "Mon, 09:30 CET Alert: Shop is down",
    "Mon, 09:41 CET Maintenance started: Disks",
    "Mon, 10:10 CET Maintenance completed: Disks",
    // What the window rested goes on once its end was read.
    "Mon, 10:11 CET Nobody answered, now step 2: Shop is down",
    "Mon, 10:20 CET Resolved: Shop is up again",
  ]);
  expect(await transcript(day, "mail")).toEqual([
    "Sun, 02:30 CEST Alert: Shop is down",
    "Sun, 04:00 CET Resolved: Shop is up again",
    "Sun, 12:00 CET Alert: Search is down",
    "Sun, 12:30 CET Escalation ended without an answer: Search is down",
    "Sun, 13:00 CET Resolved: Search is up again",
    "Mon, 09:30 CET Alert: Shop is down",
    "Mon, 09:41 CET Maintenance started: Disks",
    "Mon, 10:10 CET Maintenance completed: Disks",
    "Mon, 10:20 CET Resolved: Shop is up again",
  ]);
  const shifts = (await day.mailsOf("Cleo")).filter(({ subject }) => subject.includes("shift"));
  expect(shifts.map(({ text }) => /from .*/.exec(text)?.[0])).toEqual([
    "from 24 Oct 2026, 09:00 CEST until 24 Oct 2026, 18:00 CEST.",
    "from 26 Oct 2026, 09:00 CET until 27 Oct 2026, 09:00 CET.",
  ]);
  const [, back] = (await day.mails()).map(({ text }) => text);
  expect(back).toContain("Down: 25 Oct 2026, 02:30 CEST to 04:00 CET\nLasted: 2 hours 30 minutes");
}, 240_000);
