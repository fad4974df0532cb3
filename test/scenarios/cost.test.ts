import { beforeEach, describe, expect, it } from "vitest";
import { FLEETS, prepareFleets, priceMillion } from "../support/fleets.ts";

beforeEach(prepareFleets);

describe("a million checks from one region", () => {
  it.each(Object.entries(FLEETS))("%s cost at most twelve cents", async (_name, fleet) => {
    expect(await priceMillion({ ...fleet, regions: [] })).toBeLessThanOrEqual(0.12);
  });
});
