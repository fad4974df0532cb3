import { describe, expect, it } from "vitest";
import { readTexts } from "../../test/support/texts.ts";
import { LANGUAGES } from "../contract/status-page.ts";
import { inLanguageOf } from "./automatic-texts.ts";

const WRITTEN = [
  "Shop is down",
  "40 services are down",
  "1 service is down",
  "40 services were down",
  "40 services are failing their checks.",
  "Shop is failing its checks.",
  "Shop is up again.",
  "Shop is up again and stable.",
  "Shop keeps failing and recovering. The incident stays open until it has been stable for 5 minutes.",
  "Shop is affected.",
  "Shop is no longer monitored.",
  "The service is no longer monitored.",
  "All services are up again.",
  "None of these services is down any more.",
  "Back to normal.",
];

describe("what the service itself writes into an incident", () => {
  it.each(LANGUAGES)("is read in the language of the reader: %s", (language) => {
    const texts = readTexts(language);
    const read = WRITTEN.map((text) => inLanguageOf(texts, text));
    if (language === "en") expect(read).toEqual(WRITTEN);
    else for (const [n, text] of read.entries()) expect(text).not.toBe(WRITTEN[n]);
    expect(read.filter((text) => text.includes("Shop"))).toHaveLength(7);
    expect(read.join()).not.toMatch(/undefined|NaN|[{}]/);
  });

  it("is in German as people say it", () => {
    const german = readTexts("de");
    expect(WRITTEN.slice(0, 8).map((text) => inLanguageOf(german, text))).toEqual([
      "Shop ist ausgefallen",
      "40 Dienste sind ausgefallen",
      "1 Dienst ist ausgefallen",
      "40 Dienste waren ausgefallen",
      "40 Dienste sind ausgefallen",
      "Die Prüfungen von Shop schlagen fehl.",
      "Shop ist wieder in Betrieb.",
      "Shop ist wieder in Betrieb.",
    ]);
  });

  it.each([
    "A release is rolled back.",
    "Shop is down for maintenance",
    "Orders fail",
    "",
  ])("is no text of a person: %j stays", (text) => expect(inLanguageOf(readTexts("de"), text)).toBe(text));
});
