import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { signAwsRequest } from "../../src/notifiers/aws-signature.ts";

const REGION = "eu-central-1";
const KEY = { id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI+bPxRfiCYEXAMPLEKEY" };
const CLOCK_SKEW_MS = 300_000;

/** A store with the bucket `backups`, which refuses what S3 refuses: other keys, signatures, times, digests and buckets. */
export class S3Server {
  readonly objects = new Map<string, Buffer>();
  readonly #digests = new Map<string, string>();
  #server: Server | undefined;

  /** Gives the settings that lead there. */
  async start(): Promise<Record<string, string>> {
    this.#server = createServer(async (request, response) => {
      const body = await buffer(request);
      const refusal = reasonToRefuse(request, body);
      if (refusal) response.writeHead(403).end(`<Error><Code>${refusal}</Code></Error>`);
      else {
        const digest = this.#digests.get(nameIn(request)[1] ?? "");
        if (digest) response.setHeader("x-amz-meta-sha256", digest);
        this.#answer(request, body, (status, content = "") => void response.writeHead(status).end(content));
      }
    });
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    const { port } = this.#server.address() as AddressInfo;
    return {
      BACKUP_S3_URL: `http://127.0.0.1:${port}/backups/of%20vigil`,
      BACKUP_S3_REGION: REGION,
      BACKUP_S3_KEY_ID: KEY.id,
      BACKUP_S3_SECRET: KEY.secret,
    };
  }

  stop(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  #answer(request: IncomingMessage, body: Buffer, answer: (status: number, body?: Buffer | string) => void) {
    const { method, headers } = request;
    const [bucket, name = ""] = nameIn(request);
    const stored = this.objects.get(name);
    if (bucket !== "backups") return answer(404, "<Error><Code>NoSuchBucket</Code></Error>");
    if (method === "PUT") {
      if (stored && headers["if-none-match"] === "*")
        return answer(412, "<Error><Code>PreconditionFailed</Code></Error>");
      this.objects.set(name, body);
      this.#digests.set(name, String(headers["x-amz-meta-sha256"]));
      return answer(200);
    }
    if (method === "DELETE") {
      this.objects.delete(name);
      return answer(204);
    }
    return stored ? answer(200, stored) : answer(404, "<Error><Code>NoSuchKey</Code></Error>");
  }
}

function nameIn({ url = "" }: IncomingMessage): string[] {
  return /^\/([^/]+)\/(.+)$/.exec(decodeURIComponent(url))?.slice(1) ?? [];
}

function reasonToRefuse({ method = "", url = "", headers }: IncomingMessage, body: Buffer): string | undefined {
  const digest = String(headers["x-amz-content-sha256"]);
  const [, names = ""] = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? "") ?? [];
  const date = String(headers["x-amz-date"]).replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5");
  const sent_at = Date.parse(date);
  if (!(Math.abs(Date.now() - sent_at) < CLOCK_SKEW_MS)) return "RequestTimeTooSkewed";
  if (createHash("sha256").update(body).digest("hex") !== digest) return "XAmzContentSHA256Mismatch";
  const given = names.split(";").filter((name) => name !== "host" && name !== "x-amz-date");
  const { authorization } = signAwsRequest({
    method,
    url: new URL(url, `http://${headers.host}`),
    headers: Object.fromEntries(given.map((name) => [name, String(headers[name])])),
    digest,
    service: "s3",
    region: REGION,
    credentials: KEY,
    sent_at,
  });
  return authorization === headers.authorization ? undefined : "SignatureDoesNotMatch";
}
