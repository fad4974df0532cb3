import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningServer, startServer } from "./run-server.ts";

/** Who may send mail through it. */
export const EXIM_LOGIN = { username: "ann", password: "sécret wörd" };

export interface Exim extends RunningServer {
  /** What it delivered, the oldest first, as it lies in the mailbox. */
  readMail(): Buffer[];
}

/**
 * Accepts connections on a plain port with STARTTLS, on one with TLS from the start, and on one that offers no TLS. Takes
 * mail for anybody from users who logged in over TLS, by PLAIN on the plain port and by LOGIN on the other; `nobody`
 * gets none.
 */
export async function startExim(): Promise<Exim> {
  const server = await startServer({
    ports: ["plain", "tls", "bare"],
    prepare: ({ dir, run, write }, { plain, tls, bare }) => {
      run("chmod", ["644", "key.pem", "cert.pem"]);
      run("mkdir", ["-m", "777", "spool", "log", "mail"]);
      const isLogin = (name: string, word: string) =>
        `  server_condition = \${if and{{eq{${name}}{${EXIM_LOGIN.username}}}{eq{${word}}{${EXIM_LOGIN.password}}}}}`;
      const config = [
        "primary_hostname = localhost",
        `spool_directory = ${dir}/spool`,
        `log_file_path = ${dir}/log/%slog`,
        `pid_file_path = ${dir}/spool/pid`,
        "local_interfaces = 127.0.0.1",
        `daemon_smtp_ports = ${plain} : ${tls} : ${bare}`,
        `tls_on_connect_ports = ${tls}`,
        `tls_advertise_hosts = \${if eq{$received_port}{${bare}}{}{*}}`,
        `tls_certificate = ${dir}/cert.pem`,
        `tls_privatekey = ${dir}/key.pem`,
        "deliver_drop_privilege = true",
        "acl_smtp_rcpt = recipient",
        "acl_smtp_data = accept",
        "begin acl",
        "recipient:",
        "  deny !authenticated = *",
        "    message = log in first",
        "  deny local_parts = nobody",
        "    message = there is nobody",
        "  accept",
        "begin routers",
        "everybody:",
        "  driver = accept",
        "  transport = mailbox",
        "begin transports",
        "mailbox:",
        "  driver = appendfile",
        "  maildir_format",
        `  directory = ${dir}/mail`,
        "begin authenticators",
        "plain:",
        "  driver = plaintext",
        "  public_name = PLAIN",
        `  server_advertise_condition = \${if and{{def:tls_in_cipher}{eq{$received_port}{${plain}}}}}`,
        "  server_prompts = :",
        isLogin("$auth2", "$auth3"),
        "login:",
        "  driver = plaintext",
        "  public_name = LOGIN",
        `  server_advertise_condition = \${if eq{$received_port}{${tls}}}`,
        "  server_prompts = Username:: : Password::",
        isLogin("$auth1", "$auth2"),
      ];
      const file = write("exim.conf", `${config.join("\n")}\n`);
      run("chmod", ["644", file]);
      return { command: "exim4", args: ["-bdf", "-C", file] };
    },
  });
  const mailbox = join(server.dir, "mail", "new");
  const readMail = () => {
    // A maildir names its messages by time.
    const names = readdirSync(join(server.dir, "mail")).includes("new") ? readdirSync(mailbox).sort() : [];
    return names.map((name) => readFileSync(join(mailbox, name)));
  };
  return { ...server, readMail };
}
