import { headline } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { sha256Hex, signAwsRequest } from "./aws-signature.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, textField } from "./fields.ts";
import { type Notifier, USER_AGENT } from "./port.ts";

/**
 * https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
const SUBJECT_MAX = 99;
const MESSAGE_MAX = 8000;
const ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]{1,30}):\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/;

export const awsSns: Notifier = {
  provider: "aws_sns",
  label: "AWS SNS",
  family: "development",
  fields: [
    textField("topic_arn", "Topic ARN", "In the SNS console, on the page of the topic.", {
      form: { pattern: ARN, words: "such as arn:aws:sns:eu-central-1:123456789012:alerts" },
    }),
    textField("access_key_id", "Access key id", "Of an IAM user who may do sns:Publish on this topic alone.", {
      form: { pattern: /^[A-Z0-9]{16,128}$/, words: "16 to 128 capitals and digits" },
    }),
    secretField("secret_access_key", "Secret access key", "Shown once, with the access key."),
  ],
  steps: [
    "Create a topic in the SNS console and copy its ARN.",
    "Create an IAM user with the policy `sns:Publish` on this ARN, and an access key for it.",
    "Subscribe whatever is to hear of it: mail, SMS, SQS, Lambda.",
  ],
  channel: null,
  notes: [
    "The subject is the headline, the message plain text; the attributes `event` and `tone` serve filters of subscriptions. FIFO topics get the thread of the outage as message group, and each delivery once.",
  ],
  attemptsMax: null,
  isBundled: false,
  build({ message, event, delivery_id, sent_at }, target) {
    const arn = configText(awsSns, target, "topic_arn");
    const [, partition = "", region = "", fifo] = ARN.exec(arn) ?? [];
    if (region === "") throw new Error("the stored topic is no ARN");
    const host = `sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`;
    const attributes = Object.entries({ event: event.name, tone: message.tone }).flatMap(([name, value], n) => {
      const entry = `MessageAttributes.entry.${n + 1}`;
      return [
        [`${entry}.Name`, name],
        [`${entry}.Value.DataType`, "String"],
        [`${entry}.Value.StringValue`, value],
      ];
    });
    const group = sha256Hex(message.thread.id);
    const body = new URLSearchParams([
      ["Action", "Publish"],
      ["Version", "2010-03-31"],
      ["TopicArn", arn],
      ["Subject", toSubject(headline(message))],
      ["Message", formatPlain(message, { length_max: MESSAGE_MAX })],
      ...attributes,
      ...(fifo === undefined
        ? []
        : [
            ["MessageGroupId", group],
            ["MessageDeduplicationId", delivery_id],
          ]),
    ]).toString();
    const credentials = {
      id: configText(awsSns, target, "access_key_id"),
      secret: configText(awsSns, target, "secret_access_key"),
    };
    const url = new URL(`https://${host}/`);
    const headers = signAwsRequest({
      method: "POST",
      url,
      headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
      digest: sha256Hex(body),
      service: "sns",
      region,
      credentials,
      sent_at,
    });
    return { kind: "http", method: "POST", url: url.href, headers: { "user-agent": USER_AGENT, ...headers }, body };
  },
  readAnswer: ({ status, excerpt }) =>
    status === 400 && /<Code>(?:Throttl\w*|RequestLimitExceeded)<\/Code>/.test(excerpt)
      ? { kind: "later", error: "SNS limits requests", wait_seconds: null }
      : null,
};

/** "ASCII text that begins with a letter, number or punctuation mark, without line breaks, below 100 characters." */
function toSubject(text: string): string {
  return shorten(
    text
      .normalize("NFKD")
      .replace(/[^\x20-\x7e]+/g, "")
      .trim() || "Vigil",
    SUBJECT_MAX,
  ).replace("…", ".");
}
