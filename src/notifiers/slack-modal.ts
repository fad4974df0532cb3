import { shorten } from "../lib/plain-text.ts";
import { plain } from "./slack-message.ts";

/** https://docs.slack.dev/reference/views/modal-views: a title of 24 characters; https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element. */
const TITLE = "Post an update";
const SUBJECT_MAX = 150;
const MESSAGE_MAX = 3000;
const STATUSES = {
  investigating: "Investigating",
  identified: "Identified",
  monitoring: "Monitoring",
  resolved: "Resolved",
};

/** What it is about comes back with its submission, where it is judged anew. */
export function updateModal({ incident_id, title }: { incident_id: string; title: string }) {
  const options = Object.entries(STATUSES).map(([value, label]) => ({ text: plain(label), value }));
  return {
    type: "modal",
    callback_id: "update",
    private_metadata: incident_id,
    title: plain(TITLE),
    submit: plain("Post"),
    close: plain("Cancel"),
    blocks: [
      { type: "header", text: plain(shorten(title, SUBJECT_MAX)) },
      {
        type: "input",
        block_id: "message",
        label: plain("Message"),
        element: { type: "plain_text_input", action_id: "message", multiline: true, max_length: MESSAGE_MAX },
      },
      {
        type: "input",
        block_id: "status",
        optional: true,
        label: plain("Status"),
        hint: plain("Without one it stays as it is. Readers of a published incident see the update."),
        element: { type: "static_select", action_id: "status", options },
      },
    ],
  };
}
