import { protocolFault } from "../../net/conversation.ts";
import type { Dialog } from "./dialog.ts";

/** Asks for the version: https://github.com/memcached/memcached/blob/master/doc/protocol.txt */
export const memcachedDialog: Dialog = {
  name: "Memcached",
  async greet(conversation) {
    await conversation.write("version\r\n");
    const [, version] = /^VERSION (\S+)$/.exec(await conversation.readLine()) ?? [];
    if (version === undefined) throw protocolFault("Memcached");
    await conversation.farewell("quit\r\n");
    return version;
  },
};
