import { describe, expect, it } from "vitest";
import { exampleInput } from "../../test/support/providers.ts";
import { WEBHOOK_PROVIDERS } from "../contract/webhook.ts";
import { headline } from "../domain/alert-messages.ts";
import { notifierOf } from "./registry.ts";
import { findWordingFlaw, inOwnWords } from "./wording.ts";

const monitor = { tags: ["eu", "payments"], external_key: "shop-1" };
const words = (title: string | null, text: string | null, name = "monitor.down" as const) => {
  const input = { ...exampleInput({ name }), monitor };
  return { input, message: inOwnWords(input, notifierOf("slack"), { title, text }) };
};

describe("a message in the words of its owner", () => {
  it("has the monitor's tags and key, and the words of the service within", () => {
    const { message } = words("[{{monitor.tags}}] {{title}}", "{{text}} ({{monitor.external_key}}) call 555");
    expect([message.title, message.text, message.facts]).toEqual([
      "[eu, payments] Shop is down",
      "HTTP 500 (shop-1) call 555",
      [],
    ]);
  });

  it("keeps what can be pressed, its tone and its thread", () => {
    const { input, message } = words("x", "y");
    const { links, tone, thread, is_resolved } = input.message;
    expect(message).toMatchObject({ links, tone, thread, is_resolved });
  });

  it("keeps the words of the service where nothing comes out", () => {
    const { input, message } = words("{{duration}}", "{{#if duration}}over{{/if}} ");
    expect(message).toEqual(input.message);
    expect(words(null, null).message).toEqual(input.message);
  });

  it("never begins a subject, and stays on one line", () => {
    const { message } = words("Your account is locked\nSubject: x", null);
    expect(headline(message)).toBe("Alert: Your account is locked Subject: x");
  });

  it("is no longer than any provider takes, however often it names a long field", () => {
    const input = { ...exampleInput({}), monitor };
    const long = { ...input, message: { ...input.message, text: "x".repeat(4000) } };
    const message = inOwnWords(long, notifierOf("slack"), { title: "{{text}}", text: "{{text}}".repeat(200) });
    expect([message.title.length, message.text.length]).toEqual([300, 4000]);
  });

  it("mentions no one", () => {
    const { input, message } = words("@all {{title}}", "@here *now*");
    const target = {
      url: "https://chat.example.com/hooks/x",
      secret: null,
      previous_secret: null,
      channel: null,
      config: {},
    };
    const request = notifierOf("mattermost").build({ ...input, message }, target);
    expect(request?.kind === "http" && request.body).not.toMatch(/@(all|here)|[^\\\\]\*now/);
  });

  it("is left alone by providers that send what the owner wrote anyway", () => {
    const input = { ...exampleInput({}), monitor };
    const unworded = WEBHOOK_PROVIDERS.filter((provider) => {
      return inOwnWords(input, notifierOf(provider), { title: "x", text: null }).title !== "x";
    });
    expect(unworded).toEqual(["generic", "template"]);
  });
});

it("says which member holds a flawed template", () => {
  expect(findWordingFlaw({ title: "{{title", text: null })).toBe("message_title has a {{ without its }}");
  expect(findWordingFlaw({ title: null, text: "{{nobody}}" })).toContain("message_text must not use {{nobody}}");
  expect(findWordingFlaw({ title: null, text: null })).toBeNull();
});
