import type { TcpProtocol } from "../../contract/tcp-check.ts";
import type { Dialog } from "./dialog.ts";
import { ftpDialog } from "./ftp.ts";
import { ldapDialog } from "./ldap.ts";
import { memcachedDialog } from "./memcached.ts";
import { sshDialog } from "./ssh.ts";

/** One line per protocol that a tcp monitor may speak. */
export const TCP_DIALOGS: Readonly<Record<TcpProtocol, Dialog>> = {
  ssh: sshDialog,
  ftp: ftpDialog,
  memcached: memcachedDialog,
  ldap: ldapDialog,
};
