import type { ProbeResult } from "../contract/check.ts";
import { isRecord } from "../lib/is-record.ts";
import { type Conversation, converse, protocolFault } from "../net/conversation.ts";
import type { NetIo } from "../net/port.ts";
import { playersOnline, toCount } from "./game-server-rest.ts";
import { parseJson } from "./json-assertions.ts";
import type { HostPort } from "./tcp.ts";

/** The status ping of Minecraft's Java edition: https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping */

const STATUS = 0;
const NEXT_STATE_STATUS = 1;
/** Asks for an answer from a server of any version. */
const ANY_VERSION = -1;
const VARINT_BYTES_MAX = 5;
const MOTD_MAX = 200;
const MOTD_DEPTH_MAX = 8;

export function queryMinecraft({ host, port }: HostPort, io: NetIo, signal: AbortSignal): Promise<ProbeResult> {
  return converse({ host, port, tls: "off" }, io, signal, async (conversation, details) => {
    const handshake = [...varint(ANY_VERSION), ...text(host), port >> 8, port & 255, ...varint(NEXT_STATE_STATUS)];
    await conversation.write(Uint8Array.from([...packet(handshake), ...packet([])]));
    const status = parseStatus(await readPacket(conversation));
    Object.assign(details, status);
    return playersOnline(status.players, status.max_players);
  });
}

/** Both packets of the client have the id 0. */
function packet(content: readonly number[]): number[] {
  const body = [...varint(STATUS), ...content];
  return [...varint(body.length), ...body];
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value >>> 0; ; left >>>= 7) {
    if (left < 128) return [...bytes, left];
    bytes.push((left & 127) | 128);
  }
}

function text(value: string): number[] {
  const bytes = new TextEncoder().encode(value);
  return [...varint(bytes.length), ...bytes];
}

async function readVarint(conversation: Conversation): Promise<{ value: number; size: number }> {
  let value = 0;
  for (let size = 1; size <= VARINT_BYTES_MAX; size++) {
    const [byte = 0] = await conversation.readBytes(1);
    value += (byte & 127) * 128 ** (size - 1);
    if (byte < 128) return { value, size };
  }
  throw protocolFault("Minecraft");
}

/** The text of a status packet. */
async function readPacket(conversation: Conversation): Promise<string> {
  const length = await readVarint(conversation);
  const id = await readVarint(conversation);
  if (id.value !== STATUS) throw protocolFault("Minecraft");
  const textLength = await readVarint(conversation);
  if (length.value !== id.size + textLength.size + textLength.value) throw protocolFault("Minecraft");
  return new TextDecoder().decode(await conversation.readBytes(textLength.value));
}

function parseStatus(json: string) {
  const parsed = parseJson(json);
  if (!parsed.ok || !isRecord(parsed.value)) throw protocolFault("Minecraft");
  const { players, version, description } = parsed.value;
  const motd = plainText(description, 0).replaceAll(/§./g, "").replaceAll(/\s+/g, " ").trim();
  return {
    players: isRecord(players) ? toCount(players.online) : null,
    max_players: isRecord(players) ? toCount(players.max) : null,
    version: isRecord(version) && typeof version.name === "string" ? version.name.slice(0, MOTD_MAX) : null,
    motd: motd.slice(0, MOTD_MAX),
  };
}

/** A text, or a tree of pieces with their style; only the words are kept. */
function plainText(component: unknown, depth: number): string {
  if (typeof component === "string") return component;
  if (depth > MOTD_DEPTH_MAX) return "";
  if (Array.isArray(component)) return component.map((part) => plainText(part, depth + 1)).join("");
  if (!isRecord(component)) return "";
  return plainText(component.text, depth + 1) + plainText(component.extra, depth + 1);
}
