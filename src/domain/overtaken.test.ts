import { describe, expect, it } from "vitest";
import { type EarlierMessage, type JudgedMessage, judgeMessage } from "./overtaken.ts";

const begin = (id: string, routed_at: number, state: EarlierMessage["state"]): EarlierMessage => {
  return { id, kind: "begin", routed_at, state };
};
const end = (id: string, routed_at: number, state: EarlierMessage["state"]): EarlierMessage => {
  return { id, kind: "end", routed_at, state };
};
const ALARM: JudgedMessage = {
  id: "own",
  kind: "begin",
  routed_at: 10,
  is_late: false,
  is_over: false,
  began_by: [],
  is_keyed: false,
};
const END: JudgedMessage = { ...ALARM, kind: "end", began_by: ["b"] };

describe("judgeMessage", () => {
  const rows: [name: string, message: JudgedMessage, earlier: EarlierMessage[], isSent: boolean, dropped?: string[]][] =
    [
      ["an alarm at once", { ...ALARM, is_over: true }, [], true],
      ["a late alarm of what goes on", { ...ALARM, is_late: true }, [], true],
      ["a late alarm of what is over", { ...ALARM, is_late: true, is_over: true }, [], false],
      ["a late alarm behind a later message", { ...ALARM, is_late: true }, [begin("n", 20, "told")], false],
      ["a late alarm behind one that waits", { ...ALARM, is_late: true }, [begin("n", 20, "waiting")], true],
      ["a late alarm of another key", { ...ALARM, is_late: true, is_keyed: true }, [begin("n", 20, "told")], true],
      ["an alarm whose end was not sent", ALARM, [end("n", 20, "untold")], false],
      ["an alarm behind an earlier end that was not sent", ALARM, [end("n", 5, "untold")], true],
      ["the end of what was told", END, [begin("b", 1, "told")], true, []],
      ["the end of what is unknown", END, [], true, []],
      ["the end of what waits", END, [begin("b", 1, "waiting")], false, ["b"]],
      ["the end of what was not told", END, [begin("b", 1, "untold")], false, []],
      ["the end of what a later message told", END, [begin("b", 1, "waiting"), begin("c", 2, "told")], true, ["b"]],
      ["the end of what was told before, by another", END, [begin("a", 1, "told"), begin("b", 5, "untold")], false, []],
      ["an end behind the next alarm", END, [begin("b", 1, "told"), begin("n", 20, "told")], false, []],
      ["such an end by its key", { ...END, is_keyed: true }, [begin("b", 1, "told"), begin("n", 20, "told")], true, []],
      ["an end without an outage", { ...END, began_by: [] }, [begin("a", 1, "told")], true, []],
      [
        "an end without an outage, after another end",
        { ...END, began_by: [] },
        [begin("a", 1, "told"), end("e", 2, "told"), begin("c", 3, "untold")],
        false,
        [],
      ],
    ];
  it.each(rows)("%s", (_name, message, earlier, isSent, dropped = []) => {
    expect(judgeMessage(message, [...earlier, begin("own", 10, "told")])).toEqual({ is_overtaken: !isSent, dropped });
  });
});
