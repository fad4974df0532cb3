import { describe, expect, it } from "vitest";
import { inEnglish } from "../../../test/support/english-words.ts";
import { WEBHOOK_PROVIDERS } from "../../contract/webhook.ts";
import { providerFields } from "./form.ts";

describe("the fields of a channel", () => {
  const hintsOf = (isStored: boolean) =>
    inEnglish(() =>
      WEBHOOK_PROVIDERS.flatMap((provider) => providerFields(provider, isStored)).map(({ hint }) => hint ?? ""),
    );

  it("say that a secret can be kept only where one is stored", () => {
    expect(hintsOf(true).filter((hint) => hint.includes("Stored"))).not.toEqual([]);
    expect(hintsOf(false).filter((hint) => hint.includes("Stored"))).toEqual([]);
  });
});
