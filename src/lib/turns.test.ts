import { describe, expect, it } from "vitest";
import { Turns } from "./turns.ts";

describe("turns", () => {
  it("run work of one key in order, one after the other, also after one that failed, and other keys beside it", async () => {
    const turns = new Turns();
    const seen: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        seen.push(`${name} begins`);
        await new Promise((done) => setTimeout(done, 0));
        seen.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const taken = [turns.take("a", work("1", true)), turns.take("a", work("2")), turns.take("b", work("3"))];
    const outcomes = await Promise.allSettled(taken);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(seen.filter((each) => !each.startsWith("3"))).toEqual(["1 begins", "1 ends", "2 begins", "2 ends"]);
    expect(seen.indexOf("3 begins")).toBeLessThan(seen.indexOf("1 ends"));
  });
});
