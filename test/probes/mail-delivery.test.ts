import { setTimeout as sleep } from "node:timers/promises";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseSmtpUrl } from "../../src/lib/smtp-url.ts";
import { composeLetter } from "../../src/mail/mime.ts";
import { SmtpConnection } from "../../src/mail/smtp.ts";
import { nodeIo } from "../support/node-io.ts";
import { EXIM_LOGIN, type Exim, startExim } from "../support/servers/exim.ts";
import { describeServer } from "../support/servers/run-server.ts";

const FROM = { name: "Überwachung Köln", address: "vigil@example.com" };
const TEXT = "Grüße aus Köln,\n.\n..\n.dots at the start\n\nTrailing space \n🎈 = 🎈\n-- \nVigil\n";
const HTML = `<p>Grüße &amp; <a href="https://example.com/?a=1&amp;b=2">mehr</a></p>\n<p>${"lang ".repeat(100)}</p>\n`;

describeServer("exim4", "mail that Exim delivers", () => {
  let exim: Exim;
  beforeAll(async () => {
    exim = await startExim();
  }, 60_000);
  afterAll(() => exim.stop());

  function connectionTo(scheme: "smtp" | "smtps", port: string, { username, password } = EXIM_LOGIN) {
    const login = `${username}:${encodeURIComponent(password)}`;
    const server = parseSmtpUrl(`${scheme}://${login}@localhost:${exim.ports[port]}`);
    if (!server.ok) throw new Error(server.reason);
    return new SmtpConnection(nodeIo.connect, { server: server.value, own_name: "example.com", timeout_ms: 10_000 });
  }

  const letterTo = (to: string, id: string) => ({
    from: FROM.address,
    to,
    content: composeLetter({
      id,
      from: FROM,
      to,
      subject: "Störung behoben: Müller & Söhne – alle Dienste laufen wieder wie gewohnt",
      text: TEXT,
      html: HTML,
      headers: { "List-Unsubscribe": "<https://example.com/leave>" },
      created_at: Date.UTC(2026, 10, 20),
    }),
  });

  /** Exim answers first and delivers then. */
  async function delivered(count: number) {
    for (let attempt = 0; exim.readMail().length < count && attempt < 200; attempt++) await sleep(50);
    const mails = exim.readMail();
    expect(mails).toHaveLength(count);
    return Promise.all(mails.map((mail) => PostalMime.parse(mail)));
  }

  it("arrives as it was written: by STARTTLS and AUTH PLAIN, by TLS and AUTH LOGIN, several over one connection", async () => {
    const [starttls, tls] = [connectionTo("smtp", "plain"), connectionTo("smtps", "tls")];
    expect(await starttls.send(letterTo("bob@example.org", "m-1"))).toEqual({ kind: "sent" });
    expect(await starttls.send(letterTo("nobody@example.org", "m-2"))).toEqual({
      kind: "failed",
      error: "mail server: 550 to the recipient",
      is_final: true,
    });
    expect(await starttls.send(letterTo("cid@example.org", "m-3"))).toEqual({ kind: "sent" });
    expect(await tls.send(letterTo("dan@example.org", "m-4"))).toEqual({ kind: "sent" });
    await Promise.all([starttls.close(), tls.close()]);
    const mails = await delivered(3);
    expect(mails.map(({ messageId }) => messageId).sort()).toEqual([
      "<m-1@example.com>",
      "<m-3@example.com>",
      "<m-4@example.com>",
    ]);
    for (const mail of mails) {
      expect(mail).toMatchObject({
        from: FROM,
        subject: "Störung behoben: Müller & Söhne – alle Dienste laufen wieder wie gewohnt",
        date: "2026-11-20T00:00:00.000Z",
        text: `${TEXT}\n`,
        html: `${HTML}\n`,
      });
      expect(mail.headers).toContainEqual(
        expect.objectContaining({ key: "list-unsubscribe", value: "<https://example.com/leave>" }),
      );
    }
  });

  it.each([
    ["a wrong password", "smtp", "plain", "wrong", "mail server: 535 to the login"],
    ["no STARTTLS", "smtp", "bare", EXIM_LOGIN.password, "mail server: the server does not offer STARTTLS"],
  ] as const)("waits for the operator to mend %s", async (_name, scheme, port, password, error) => {
    const connection = connectionTo(scheme, port, { ...EXIM_LOGIN, password });
    expect(await connection.send(letterTo("eve@example.org", "m-5"))).toEqual({ kind: "unavailable", error });
  });
});
