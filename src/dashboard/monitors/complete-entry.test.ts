import { describe, expect, it } from "vitest";
import { completeEntry } from "./complete-entry.ts";

describe("what is entered for a monitor", () => {
  it.each([
    [
      "type=https&target=http://shop.example/a&name=Shop",
      { type: "http", target: "http://shop.example/a", name: "Shop" },
    ],
    ["type=http&target=HTTPS://shop.example", { type: "https", target: "HTTPS://shop.example", name: "shop.example" }],
    ["type=https&target=shop.example&name=", { type: "https", target: "https://shop.example", name: "shop.example" }],
    ["type=tcp&target=db.example:5432&name=", { type: "tcp", target: "db.example:5432", name: "db.example" }],
    [
      "type=postgres&target=postgres://u:p@db.example/x",
      { type: "postgres", target: "postgres://u:p@db.example/x", name: "db.example" },
    ],
    ["type=https&target=ftp://x&name=a", { type: "https", target: "ftp://x", name: "a" }],
    ["type=heartbeat&name=", { type: "heartbeat", name: "" }],
  ])("%s is completed by what follows from it", (text, complete) => {
    expect(Object.fromEntries(completeEntry(new URLSearchParams(text)))).toEqual(complete);
  });
});
