import { describe, expect, it } from "vitest";
import { APPRISE } from "../../../test/support/other-tools.ts";
import { mergeConfig } from "../../notifiers/fields.ts";
import { notifierOf } from "../../notifiers/registry.ts";
import { importApprise } from "./apprise.ts";
import { appriseChannels } from "./apprise-address.ts";
import type { Channel } from "./channels.ts";

function read(address: string) {
  const said: string[] = [];
  const note = (reason: string) => void said.push(reason);
  return { channels: appriseChannels(address, { changes: note, stays: note }), said };
}

const SERVICES = {
  telegram_api_base: "https://api.telegram.org",
  telegram_bot_token: "",
  discord_api_base: "https://discord.com/api",
  discord_bot_token: "",
  slack_answers: false,
};

/** What the provider would say against it. */
function problemOf({ provider, url = "", secret = "", config = {} }: Channel): string | null {
  const notifier = notifierOf(provider);
  const reading = mergeConfig(notifier, config, {});
  if (reading.kind === "flawed") return `${reading.path} ${reading.message}`;
  const address = url || (notifier.fields.find(({ name }) => name === "url")?.default ?? "");
  return notifier.validate?.({ url: address, secret, config: reading.config }, SERVICES) ?? null;
}

const ACCEPTED: [string, Channel[]][] = [
  ["slack://T1/B2/c3c/#ops", [{ provider: "slack", url: "https://hooks.slack.com/services/T1/B2/c3c" }]],
  [
    "https://hooks.slack.com/services/T1/B2/c3c",
    [{ provider: "slack", url: "https://hooks.slack.com/services/T1/B2/c3c" }],
  ],
  ["discord://Bot@1234/aBc", [{ provider: "discord", url: "https://discord.com/api/webhooks/1234/aBc" }]],
  [
    "tgram://123456:ABCdef/-100987/55",
    ["-100987", "55"].map((secret) => ({
      provider: "telegram" as const,
      url: "https://api.telegram.org/bot123456:ABCdef/sendMessage",
      secret,
    })),
  ],
  [
    `pover://u${"a".repeat(29)}@a${"b".repeat(29)}/phone`,
    [{ provider: "pushover", config: { token: `a${"b".repeat(29)}`, user: `u${"a".repeat(29)}`, device: "phone" } }],
  ],
  ["pbul://o.Token/#news", [{ provider: "pushbullet", config: { token: "o.Token", channel_tag: "news" } }]],
  [
    `pagerduty://${"a".repeat(32)}@key?region=eu`,
    [{ provider: "pagerduty", url: "https://events.eu.pagerduty.com/v2/enqueue", secret: "a".repeat(32) }],
  ],
  [
    "opsgenie://0f0f-key/#team",
    [
      {
        provider: "jira_service_management",
        url: "https://api.opsgenie.com/v2/alerts",
        config: { api_key: "0f0f-key" },
      },
    ],
  ],
  [
    "splunk://night@a1b2c3d4-0000-4000-8000-000000000001",
    [
      {
        provider: "splunk_on_call",
        config: { api_key: "a1b2c3d4-0000-4000-8000-000000000001", routing_key: "night" },
      },
    ],
  ],
  [
    "matrixs://syt_token@matrix.example/!abc:matrix.example",
    [
      {
        provider: "matrix",
        url: "https://matrix.example",
        config: { room_id: "!abc:matrix.example", access_token: "syt_token" },
      },
    ],
  ],
  [
    "mmosts://chat.example:8443/team/Key1",
    [{ provider: "mattermost", url: "https://chat.example:8443/team/hooks/Key1" }],
  ],
  ["rockets://one1/two2@chat.example/#ops", [{ provider: "rocket_chat", url: "https://chat.example/hooks/one1/two2" }]],
  [
    "zulip://vigil@shop/Key/ops",
    [
      {
        provider: "zulip",
        url: "https://shop.zulipchat.com",
        config: { email: "vigil-bot@shop.zulipchat.com", api_key: "Key", channel: "ops" },
      },
    ],
  ],
  ["lark://a-b", [{ provider: "lark", url: "https://open.larksuite.com/open-apis/bot/v2/hook/a-b" }]],
  ["feishu://a-b", [{ provider: "lark", url: "https://open.feishu.cn/open-apis/bot/v2/hook/a-b" }]],
  [
    "dingtalk://SECabc@token1/",
    [
      {
        provider: "dingtalk",
        url: "https://oapi.dingtalk.com/robot/send?access_token=token1",
        config: { sign_secret: "SECabc" },
      },
    ],
  ],
  ["wecombot://key-1", [{ provider: "wecom", url: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=key-1" }]],
  [
    `line://ab/cd+e=/U${"a".repeat(32)}`,
    [{ provider: "line", config: { token: "ab/cd+e=", to: `U${"a".repeat(32)}` } }],
  ],
  [
    "signals://signal.example:8080/4930123456/4930123457",
    [
      {
        provider: "signal",
        url: "https://signal.example:8080",
        config: { number: "+4930123456", recipients: "+4930123457" },
      },
    ],
  ],
  [
    "whatsapp://alert:token@1234567890/4930123456?lang=de",
    [
      {
        provider: "whatsapp",
        config: { phone_number_id: "1234567890", token: "token", to: "+4930123456", template: "alert", language: "de" },
      },
    ],
  ],
  [
    "hassios://home.example/token1",
    [
      {
        provider: "home_assistant",
        url: "https://home.example",
        config: { token: "token1", service: "persistent_notification" },
      },
    ],
  ],
  ["barks://bark.example/key1", [{ provider: "bark", url: "https://bark.example", config: { device_key: "key1" } }]],
  [
    `twilio://AC${"0".repeat(32)}:auth@15550001111/4930123456`,
    [
      {
        provider: "twilio_sms",
        config: {
          account_sid: `AC${"0".repeat(32)}`,
          auth_token: "auth",
          from: "+15550001111",
          to: "+4930123456",
        },
      },
    ],
  ],
  ["ntfy://alerts", [{ provider: "ntfy", url: "https://ntfy.sh/alerts" }]],
  ["ntfys://tk_1@push.example/a", [{ provider: "ntfy", url: "https://push.example/a", secret: "tk_1" }]],
  [
    "gchat://space/key1/tok2",
    [{ provider: "google_chat", url: "https://chat.googleapis.com/v1/spaces/space/messages?key=key1&token=tok2" }],
  ],
  [
    "gotifys://push.example/sub/Atoken",
    [{ provider: "gotify", url: "https://push.example/sub", config: { token: "Atoken" } }],
  ],
  [
    "apprises://apprise.example/ops?tags=night",
    [{ provider: "apprise", url: "https://apprise.example/notify/ops", config: { tag: "night" } }],
  ],
  ["wxteams://bottoken/room1", [{ provider: "webex", config: { token: "bottoken", room_id: "room1" } }]],
  ["mailto://me:pw@shop.example?to=ops@shop.example", [{ provider: "email", url: "mailto:ops@shop.example" }]],
  ["mailtos://me:pw@shop.example", [{ provider: "email", url: "mailto:me@shop.example" }]],
  ["jsons://hook.example/a/b", [{ provider: "generic", url: "https://hook.example/a/b" }]],
];

describe("an address of Apprise", () => {
  it.each(ACCEPTED)("%s becomes a channel that the service accepts", (address, channels) => {
    expect(read(address).channels).toEqual(channels);
    expect(channels.map(problemOf)).toEqual(channels.map(() => null));
  });

  it.each([
    "slack://xoxb-token/#ops",
    "matrixs://me:pw@matrix.example/#room",
    "ntfys://me:pw@push.example/a",
    "sns://AKIA/secret/us-east-1/topic",
    "whatsapp://token@1234567890/4930123456",
    "tgram://123456:ABC",
    "nothing://here",
    "constructor://a/b",
    "no address",
    "discord://only",
    "%E0%A4%A://%zz",
  ])("%s, which says too little for a channel here, becomes none", (address) => {
    expect(read(address).channels).toEqual([]);
  });
});

describe("a configuration of Apprise", () => {
  it("as YAML gives its channels under their service and tags", () => {
    const { manifest, remarks } = importApprise(APPRISE);
    expect(manifest.webhooks).toEqual({
      "discord-1": { name: "discord 1", provider: "discord", url: "https://discord.com/api/webhooks/123456/abcDEF" },
      "pover-2-ops-night": {
        name: "pover 2 ops, night",
        provider: "pushover",
        config: { token: "aToken", user: "uKey", device: "phone" },
      },
      "ntfys-3-backup": { name: "ntfys 3 backup", provider: "ntfy", url: "https://alerts.example/backup" },
    });
    expect(remarks).toContainEqual({ subject: "address 4 (sns)", about: "stays", reason: "has to be set up anew" });
  });

  it("as text gives the same of a line each, and says what is no address", () => {
    const text =
      "# mine\ninclude http://other.example/cfg\nops,night=discord://123456/abcDEF\nntfy://alerts\nfamily=a,b\n";
    const { manifest, remarks } = importApprise(text);
    expect(Object.values(manifest.webhooks).map(({ name }) => name)).toEqual(["discord 1 ops,night", "ntfy 2"]);
    expect(remarks.filter(({ subject }) => subject === "the file")).toHaveLength(2);
  });

  it("repeats no credential in what it says", () => {
    const { remarks } = importApprise(
      "urls:\n  - sns://AKIACANARY/canary-secret/us-east-1/t:\n      - tag: x\n        extra: 1\n",
    );
    expect(JSON.stringify(remarks)).not.toMatch(/canary/i);
    expect(JSON.stringify(remarks)).toContain("extra");
  });

  it.each(["", "hello: world", "{}", "just words"])("is refused where it is none: %j", (text) => {
    expect(() => importApprise(text)).toThrow(/nothing of Apprise/);
  });
});
