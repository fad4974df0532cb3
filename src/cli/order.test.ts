import { describe, expect, it } from "vitest";
import { orderByNeeds } from "./order.ts";

const order = (...things: [key: string, needs: string[]][]) =>
  orderByNeeds(things, { keyOf: ([key]) => key, needsOf: ([, needs]) => needs }).map(([key]) => key);

describe("the order in which things are made", () => {
  it("puts each behind what it needs, and keeps the order of the file otherwise", () => {
    expect(order(["all", ["b", "a"]], ["a", []], ["b", []], ["c", []])).toEqual(["a", "b", "c", "all"]);
    expect(order(["d", ["c"]], ["c", ["b"]], ["b", ["a"]], ["a", []])).toEqual(["a", "b", "c", "d"]);
  });

  it("leaves circles, and what is not in the file, to the service", () => {
    expect(order(["a", ["b"]], ["b", ["a"]], ["c", ["elsewhere"]]).toSorted()).toEqual(["a", "b", "c"]);
  });
});
