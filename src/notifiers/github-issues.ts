import { isKnownEvent } from "../contract/events.ts";
import { shorten } from "../lib/plain-text.ts";
import { alertActionOf } from "./alert-action.ts";
import { plainText } from "./chat-text.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import {
  CHAT_ATTEMPTS_MAX,
  isHttpUrl,
  jsonRequest,
  NOT_AN_ADDRESS,
  type Notifier,
  type NotifierInput,
  type WebhookTarget,
} from "./port.ts";

/**
 * https://docs.github.com/rest/issues/issues: one issue for each outage or incident, which later events change and the end
 * closes. Limits: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api.
 */
const TITLE_MAX = 256;
const TEXT_MAX = 20_000;
const ZERO_WIDTH_SPACE = "\u200b";
const REPOSITORY = /^[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/;

export const githubIssues: Notifier = {
  provider: "github_issues",
  label: "GitHub issues",
  family: "development",
  fields: [
    textField("repository", "Repository", "owner/name.", { form: { pattern: REPOSITORY, words: "owner/name" } }),
    secretField(
      "token",
      "Fine-grained token",
      "Settings, Developer settings: with Issues, read and write, for this repository.",
    ),
    textField("labels", "Labels", "Separated by commas.", { is_required: false, length_max: 200 }),
    urlField("Of the API; for GitHub Enterprise Server https://<host>/api/v3.", { default: "https://api.github.com" }),
  ],
  steps: [
    "Choose the repository whose issues people look at.",
    "Create a [fine-grained token](https://github.com/settings/personal-access-tokens/new) for it with the permission Issues, read and write.",
    "Name labels by which the issues are found.",
  ],
  channel: "another repository",
  notes: [
    "An issue opens with an outage or incident, is brought up to date by what follows, and is closed as completed by its end. Automatic incidents have the issue of their outage. Text of users is code, which mentions no one.",
  ],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: false,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build(input, target) {
    const action = actionOf(input);
    if (action === null || action === "resolve") return null;
    const labels = configText(githubIssues, target, "labels")
      .split(",")
      .flatMap((label) => label.trim() || []);
    return request("POST", issuesOf(target), { ...contentOf(input), ...(labels.length > 0 && { labels }) }, target);
  },
  editing: {
    isOfThread: true,
    parseMessageId: (body) => /"number"\s*:\s*(\d{1,10})/.exec(body)?.[1] ?? null,
    edit(input, target, number) {
      const state = actionOf(input) === "resolve" ? { state: "closed", state_reason: "completed" } : { state: "open" };
      return request("PATCH", `${issuesOf(target)}/${number}`, { ...contentOf(input), ...state }, target);
    },
  },
  readAnswer: ({ status, excerpt }) =>
    status === 403 && /rate limit/i.test(excerpt)
      ? { kind: "later", error: "GitHub limits requests", wait_seconds: 60 }
      : null,
};

/** An outage is reported by its monitor; its automatic incident says the same at the same time. */
function actionOf({ event }: NotifierInput) {
  if (isKnownEvent(event) && event.name.startsWith("incident.")) {
    const data: Readonly<Record<string, unknown>> = event.data;
    if (data.is_automatic === true && data.outage_id !== null) return null;
  }
  const action = alertActionOf(event);
  return action === "acknowledge" ? null : action;
}

function issuesOf(target: WebhookTarget): string {
  const repository = target.channel ?? configText(githubIssues, target, "repository");
  const path = repository.split("/").map(encodeURIComponent).join("/");
  return `${target.url.replace(/\/+$/, "")}/repos/${path}/issues`;
}

function request(method: "POST" | "PATCH", url: string, body: object, target: WebhookTarget) {
  const headers = {
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
    authorization: `Bearer ${configText(githubIssues, target, "token")}`,
  };
  return jsonRequest(url, body, { method, headers });
}

function contentOf({ message }: NotifierInput): { title: string; body: string } {
  const facts = message.facts.map(({ label, value }) => `- ${label}: ${codeOf(value)}`);
  const links = message.links.map(({ label, url }) => `[${label}](${url})`);
  const text = shorten(plainText(message), TEXT_MAX);
  const parts = [text === "" ? "" : fenced(text), facts.join("\n"), links.join(" · ")];
  const title = shorten(message.title, TITLE_MAX).replace(/[@#]/g, `$&${ZERO_WIDTH_SPACE}`);
  return { title: shorten(title, TITLE_MAX), body: parts.filter((part) => part !== "").join("\n\n") };
}

const codeOf = (text: string) => `\`${text.replaceAll("`", "'")}\``;

/** A fence that is longer than any row of its marks within. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([row]) => row.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
