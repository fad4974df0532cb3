import { z } from "zod";
import { CHAT_ACCOUNT_SERVICES, type ChatAccountService } from "../contract/chat-account.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { isProof, type Proof, prove } from "./root-keys.ts";

/**
 * By which somebody in a chat says in a browser who they are there: the chat gave it to them alone, and the service proves
 * that it made it. Nothing is stored.
 */
export interface ChatIdentity {
  service: ChatAccountService;
  workspace_id: string;
  chat_user_id: string;
  name: string;
}

const VALID_MS = 15 * MINUTE_MS;
const PROOF_LENGTH = 32;
const NAME_MAX = 80;
const Named = z.tuple([z.enum(CHAT_ACCOUNT_SERVICES), z.string(), z.string().min(1), z.string(), z.int()]);

export function chatAccountCode(rootSecret: string, person: ChatIdentity, now: number): string {
  const { service, workspace_id, chat_user_id, name } = person;
  const named = [service, workspace_id, chat_user_id, [...name].slice(0, NAME_MAX).join(""), now + VALID_MS];
  const text = Buffer.from(JSON.stringify(named)).toString("base64url");
  return `${text}.${prove(rootSecret, proofOf(text))}`;
}

/** Null for every text that the service did not make, and once its time is over. */
export function parseChatAccountCode(rootSecret: string, code: string, now: number): ChatIdentity | null {
  const [, text = "", proof = ""] = /^([\w-]{1,900})\.([\w-]{32})$/.exec(code) ?? [];
  if (!isProof(rootSecret, proof, proofOf(text))) return null;
  const [service, workspace_id, chat_user_id, name, until] = Named.parse(
    JSON.parse(Buffer.from(text, "base64url").toString()),
  );
  return now < until ? { service, workspace_id, chat_user_id, name } : null;
}

const proofOf = (text: string): Proof => ({ purpose: "chat account", text, length: PROOF_LENGTH });
