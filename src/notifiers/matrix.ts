import { formatChatText, formatPlain, plainText } from "./chat-text.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/**
 * https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid: a repeat under the
 * same transaction id is dropped. An event has 64 KiB at most, and comes twice here: as text and as HTML.
 */
const LENGTH_MAX = 4000;

export const matrix: Notifier = {
  provider: "matrix",
  label: "Matrix",
  family: "chat",
  fields: [
    urlField("Of the homeserver, such as https://matrix.example.org."),
    textField("room_id", "Internal room id", "Room settings, Advanced; begins with !.", {
      form: { pattern: /^![^\s/?#]{1,250}$/, words: "an internal room id, which begins with !" },
    }),
    secretField("access_token", "Access token", "Of an account for the bot: Settings, Help & About, Advanced.", {
      length_max: 1024,
    }),
  ],
  steps: [
    "Create an account for the bot on your homeserver and copy its access token.",
    "Invite the bot to the room and accept the invitation there.",
    "Copy the internal room id from the settings of the room.",
  ],
  channel: "another internal room id",
  notes: [
    "Messages are notices of the type `m.text` with HTML; text of users is escaped and mentions no one. End-to-end encrypted rooms take them, unencrypted, where they allow it.",
  ],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message, delivery_id }, target) {
    const room = target.channel ?? configText(matrix, target, "room_id");
    const base = target.url.replace(/\/+$/, "");
    const path = `${encodeURIComponent(room)}/send/m.room.message/${encodeURIComponent(delivery_id)}`;
    const html = formatChatText(
      { ...message, text: plainText(message), is_markdown: false },
      {
        toInert: escapeHtml,
        length_max: LENGTH_MAX,
        title: (text) => `<strong>${text}</strong>`,
        link: (label, url) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`,
      },
    );
    return jsonRequest(
      `${base}/_matrix/client/v3/rooms/${path}`,
      {
        msgtype: "m.text",
        body: formatPlain(message, { length_max: LENGTH_MAX }),
        format: "org.matrix.custom.html",
        formatted_body: html.replaceAll("\n", "<br>"),
        "m.mentions": {},
      },
      { method: "PUT", headers: { authorization: `Bearer ${configText(matrix, target, "access_token")}` } },
    );
  },
  /** `M_LIMIT_EXCEEDED` says the wait in the body; newer servers in a header besides. */
  readAnswer({ status, excerpt }) {
    const [, wait] = /"retry_after_ms"\s*:\s*(\d{1,9})/.exec(excerpt) ?? [];
    if (status !== 429 || wait === undefined) return null;
    return { kind: "later", error: "the homeserver limits messages", wait_seconds: Number(wait) / 1000 };
  },
};

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (mark) => ENTITIES[mark] ?? mark);
