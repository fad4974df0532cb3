import { protocolFault } from "../../net/conversation.ts";
import type { Dialog } from "./dialog.ts";

/** Lines that may precede the identification, which begins with SSH-: RFC 4253, section 4.2. */
const PRELUDE_MAX = 50;
const IDENTIFICATION = /^SSH-(?:2\.0|1\.99)-[!-~]/;

/** Reads the identification of the server, answers with its own and leaves before any key is exchanged. */
export const sshDialog: Dialog = {
  name: "SSH",
  async greet(conversation) {
    for (let n = 0; n <= PRELUDE_MAX; n++) {
      const line = await conversation.readLine();
      if (!line.startsWith("SSH-")) continue;
      if (!IDENTIFICATION.test(line)) throw protocolFault("SSH 2");
      await conversation.farewell("SSH-2.0-Vigil_check\r\n");
      return line;
    }
    throw protocolFault("SSH");
  },
};
