import { createHash, createHmac } from "node:crypto";

export interface AwsRequest {
  method: string;
  url: URL;
  /** With names in lower case; all of them are signed. */
  headers: Record<string, string>;
  /** SHA-256 of the body, in hexadecimal. */
  digest: string;
  service: string;
  region: string;
  credentials: { id: string; secret: string };
  /** Unix milliseconds; AWS takes five minutes before or after. */
  sent_at: number;
}

/**
 * The headers of a request with its signature of version 4,
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
export function signAwsRequest(request: AwsRequest): Record<string, string> {
  const { method, url, digest, service, region, credentials, sent_at } = request;
  const time = new Date(sent_at).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const headers = { ...request.headers, "x-amz-date": time };
  const signed = Object.entries({ ...headers, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    url.pathname.split("/").map(encodePart).join("/"),
    [...url.searchParams]
      .map((pair) => pair.map(encodeWord).join("="))
      .sort()
      .join("&"),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    "",
    names,
    digest,
  ];
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256Hex(canonical.join("\n"))].join("\n");
  const key = hmac(hmac(hmac(hmac(`AWS4${credentials.secret}`, day), region), service), "aws4_request");
  const signature = hmac(key, toSign).toString("hex");
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.id}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

export const sha256Hex = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const encodePart = (part: string) => encodeWord(decodeURIComponent(part));

/** AWS takes A-Z, a-z, 0-9, `-`, `.`, `_` and `~` alone as they are. */
function encodeWord(word: string): string {
  return encodeURIComponent(word).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
