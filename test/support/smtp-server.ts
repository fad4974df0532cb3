import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";

/**
 * A mail server on loopback that speaks in clear, without a login, and does what the recipient's name says up to its first
 * dot: `greylisted` is refused for now and `unknown` for good; `hanging` gets no answer to its message; `dropped` loses
 * the connection instead of the first answer, and is answered the second time. Everybody else gets their mail.
 */
export interface MailPorts {
  smtp: number;
  /** `GET /<recipient>` gives what was sent to one, as `[{connection, content}]`. */
  received: number;
}

interface Received {
  connection: number;
  content: string;
}

export async function startSmtpServer(): Promise<{ ports: MailPorts; stop(): Promise<void> }> {
  const received = new Map<string, Received[]>();
  const sockets = new Set<Socket>();
  let connections = 0;
  const smtp = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    speak(
      socket,
      (to, content, connection) => {
        const mails = [...(received.get(to) ?? []), { connection, content }];
        received.set(to, mails);
        return mails.length;
      },
      ++connections,
    );
  });
  const http = createHttpServer((request, response) => {
    const to = decodeURIComponent((request.url ?? "").slice(1));
    response.end(JSON.stringify(received.get(to) ?? []));
  });
  const servers = [smtp, http];
  const [smtpPort = 0, receivedPort = 0] = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return (server.address() as AddressInfo).port;
    }),
  );
  return {
    ports: { smtp: smtpPort, received: receivedPort },
    async stop() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
      for (const socket of sockets) socket.destroy();
      http.closeAllConnections();
      await Promise.all(closed);
    },
  };
}

type Keep = (to: string, content: string, connection: number) => number;

function speak(socket: Socket, keep: Keep, connection: number): void {
  let buffered = "";
  let to = "";
  let isMessage = false;
  const say = (line: string) => void socket.write(`${line}\r\n`);
  say("220 mail.test");
  socket.setEncoding("utf8").on("data", (text: string) => {
    buffered += text;
    for (;;) {
      const end = buffered.indexOf(isMessage ? "\r\n.\r\n" : "\r\n");
      if (end < 0) return;
      const part = buffered.slice(0, end);
      buffered = buffered.slice(end + (isMessage ? 5 : 2));
      if (isMessage) {
        isMessage = false;
        finish(part.replace(/^\.\./gm, "."));
      } else {
        say(answerTo(part));
      }
    }
  });

  function finish(content: string): void {
    const count = keep(to, content, connection);
    if (to.startsWith("hanging.")) return;
    if (to.startsWith("dropped.") && count === 1) return void socket.destroy();
    say("250 2.0.0 queued");
  }

  function answerTo(line: string): string {
    const [verb = ""] = line.split(" ");
    switch (verb) {
      case "EHLO":
        return "250-mail.test\r\n250 8BITMIME";
      case "RCPT":
        to = /<(.*)>/.exec(line)?.[1] ?? "";
        if (to.startsWith("greylisted.")) return `451 4.7.1 <${to}> later`;
        return to.startsWith("unknown.") ? `550 5.1.1 <${to}> unknown` : "250 2.1.5 ok";
      case "DATA":
        isMessage = true;
        return "354 go on";
      case "MAIL":
      case "RSET":
        return "250 2.0.0 ok";
      case "QUIT":
        return "221 bye";
      default:
        return "502 5.5.1 what?";
    }
  }
}
