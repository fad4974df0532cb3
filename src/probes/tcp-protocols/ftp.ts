import { IoFault } from "../../lib/io-fault.ts";
import { protocolFault } from "../../net/conversation.ts";
import type { Dialog } from "./dialog.ts";

const LINES_MAX = 100;

/** Reads the greeting, of one line or several, and leaves without a login: RFC 959, sections 4.2 and 5.4. */
export const ftpDialog: Dialog = {
  name: "FTP",
  async greet(conversation) {
    const first = await conversation.readLine();
    const [, code, mark] = /^(\d{3})([ -])/.exec(first) ?? [];
    if (code === undefined) throw protocolFault("FTP");
    let last = first;
    for (let n = 0; mark === "-" && !last.startsWith(`${code} `); n++) {
      if (n === LINES_MAX) throw protocolFault("FTP");
      last = await conversation.readLine();
    }
    if (code !== "220") throw new IoFault("status", `the server refuses with ${code}`);
    await conversation.farewell("QUIT\r\n");
    return first.slice(4);
  },
};
