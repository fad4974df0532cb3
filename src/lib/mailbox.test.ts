import { expect, it } from "vitest";
import { canonicalAddress } from "./mailbox.ts";

it.each([
  ["Ada@Example.com", "ada@example.com"],
  [" ada+news@example.com ", "ada@example.com"],
  ["ada+a+b@example.com", "ada@example.com"],
  ["+ada@example.com", "+ada@example.com"],
  ["a.d.a@gmail.com", "ada@gmail.com"],
  ["a.d.a@example.com", "a.d.a@example.com"],
  ["nobody", "nobody"],
])("reads %j as %j", (address, canonical) => {
  expect(canonicalAddress(address)).toBe(canonical);
});
