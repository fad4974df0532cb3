import { beforeEach, describe, expect, it } from "vitest";
import { REGIONS } from "../../src/contract/monitor-values.ts";
import { FLEETS, prepareFleets, priceMillion } from "../support/fleets.ts";

beforeEach(prepareFleets);

/** Apart from those of one region, because an invocation may set so many timers. */
describe("a million checks from each of three regions", () => {
  it.each(Object.entries(FLEETS))("%s cost at most ten cents", async (_name, fleet) => {
    expect(await priceMillion({ ...fleet, regions: REGIONS.slice(0, 3) })).toBeLessThanOrEqual(0.1);
  });
});
