import { writeZip } from "../../lib/zip.ts";
import { inflateExactly } from "../../platform/zlib.ts";
import { CLASS_BYTES, CLASS_ZLIB_BASE64 } from "./minecraft/compiled.ts";
import type { PluginAccess, PluginFile } from "./plugin-file.ts";

/** A plug-in of Paper: a jar, which is a ZIP archive of classes and the configuration that they read. */
export function writeMinecraft({ push_key, push_url, interval }: PluginAccess): PluginFile[] {
  const config = `# Keep this file private: it holds the server's push key.
url: ${JSON.stringify(push_url)}
key: ${JSON.stringify(push_key)}
# Seconds between pushes.
interval: ${interval}
`;
  const jar = [
    { name: "META-INF/MANIFEST.MF", bytes: encode("Manifest-Version: 1.0\r\n\r\n") },
    { name: "plugin.yml", bytes: encode(DESCRIPTION) },
    { name: "config.yml", bytes: encode(config) },
    { name: "dev/vigil/VigilPlugin.class", bytes: readClass() },
  ];
  return [
    { name: "plugins/Vigil.jar", bytes: writeZip(jar) },
    { name: "README.txt", text: README },
  ];
}

function readClass(): Uint8Array {
  const packed = Uint8Array.from(atob(CLASS_ZLIB_BASE64), (char) => char.charCodeAt(0));
  const compiled = inflateExactly(packed, CLASS_BYTES);
  if (compiled === null) throw new Error("the class of the plug-in is damaged");
  return compiled;
}

const encode = (text: string) => new TextEncoder().encode(text);

const DESCRIPTION = `name: Vigil
version: 1.0.0
main: dev.vigil.VigilPlugin
description: Pushes the state of the server to Vigil
api-version: "1.18"
`;

const README = `Pushes players, world and ticks per second of a Minecraft server with Paper 1.18 or newer to Vigil.

Copy the folder "plugins" over the server's own and restart the server.

At its first start the plug-in writes address and key to plugins/Vigil/config.yml. After the key was rotated, enter the new
one there.
`;
