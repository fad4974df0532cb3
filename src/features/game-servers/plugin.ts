import type { PLUGIN_GAMES } from "../../contract/game-server.ts";
import type { GameType } from "../../contract/monitor-values.ts";
import { writeZip } from "../../lib/zip.ts";
import { writeFivem } from "./fivem.ts";
import { writeMinecraft } from "./minecraft.ts";
import type { PluginAccess, PluginFile } from "./plugin-file.ts";
import { writeRust } from "./rust.ts";
import { writeSidecars } from "./sidecar.ts";

/** What runs in a game server, or beside it, and pushes for it; an archive that is unpacked over the server's folder. */
export type PluginGame = (typeof PLUGIN_GAMES)[number];

const WRITERS: Record<PluginGame, (access: PluginAccess) => PluginFile[]> = {
  fivem: writeFivem,
  minecraft: writeMinecraft,
  rust: writeRust,
  custom: writeSidecars,
};

export function writePlugin(
  game: PluginGame,
  access: PluginAccess,
): { filename: string; bytes: Uint8Array<ArrayBuffer> } {
  const files = WRITERS[game](access).map((file) => ({
    name: file.name,
    bytes: "text" in file ? new TextEncoder().encode(file.text) : file.bytes,
  }));
  return { filename: `vigil-${game === "custom" ? "sidecar" : game}.zip`, bytes: writeZip(files) };
}

/** Games without a plug-in of their own are watched from beside. */
export function pluginFor(game: GameType): PluginGame {
  return game === "fivem" || game === "minecraft" || game === "rust" ? game : "custom";
}
