import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, openAsBlob } from "node:fs";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import { sha256Hex, signAwsRequest } from "../../src/notifiers/aws-signature.ts";
import { Refusal } from "./command-error.ts";

/** Backups beside those of this machine: a bucket of an S3-compatible service, and what names in it begin with. */
export interface BackupStore {
  /** With a slash at its end. */
  url: URL;
  region: string;
  credentials: { id: string; secret: string };
}

/** An upload of some gigabytes takes its time; one that stands still does not go on for ever. */
const TRANSFER_MS = 3_600_000;
const ANSWER_EXCERPT = 200;
const DIGEST_HEADER = "x-amz-meta-sha256";
const ALREADY_THERE = 412;

export function backupStoreOf(env: NodeJS.ProcessEnv): BackupStore | undefined {
  const { BACKUP_S3_URL: address, BACKUP_S3_KEY_ID: id, BACKUP_S3_SECRET: secret } = env;
  if (!address) return undefined;
  if (!URL.canParse(address) || !/^https?:\/\/[^/@]+\/[^/?#]+[^?#]*$/.test(address))
    throw new Refusal(
      "BACKUP_S3_URL must be the address of a bucket: https://host/bucket or https://host/bucket/folder",
    );
  if (!id || !secret) throw new Refusal("BACKUP_S3_URL needs BACKUP_S3_KEY_ID and BACKUP_S3_SECRET");
  if (!env.BACKUP_PASSPHRASE)
    throw new Refusal("BACKUP_S3_URL needs BACKUP_PASSPHRASE: the store would have the root secret in the clear");
  const region = env.BACKUP_S3_REGION || /\/\/s3\.([a-z0-9-]+)\.amazonaws\.com\//.exec(address)?.[1] || "auto";
  return { url: new URL(address.replace(/\/*$/, "/")), region, credentials: { id, secret } };
}

/**
 * Stored once: what has the name already is the same, or of another service, whose backups this one must not replace. It
 * may be the service that was lost, and of which a new one on an empty disk has nothing yet.
 */
export async function storeBackup(store: BackupStore, file: string, signal: AbortSignal): Promise<void> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  const [digest, name] = [hash.digest("hex"), basename(file)];
  const headers = { "if-none-match": "*", [DIGEST_HEADER]: digest };
  const { status } = await send(store, { method: "PUT", name, digest, body: await openAsBlob(file), headers, signal });
  if (status !== ALREADY_THERE) return;
  const stored = await send(store, { method: "HEAD", name, signal });
  if (stored.headers.get(DIGEST_HEADER) === digest) return;
  throw new Error(`the store has another ${name}, which this service did not make: give BACKUP_S3_URL another folder`);
}

export async function fetchBackup(
  store: BackupStore,
  { name, file, signal }: { name: string; file: string; signal: AbortSignal },
): Promise<void> {
  const { body } = await send(store, { method: "GET", name, signal });
  if (!body) throw new Error(`${name} of the store is empty`);
  await pipeline(body, createWriteStream(file, { mode: 0o600 }));
}

/** One that is not there is fine. */
export async function removeStored(store: BackupStore, name: string, signal: AbortSignal): Promise<void> {
  await send(store, { method: "DELETE", name, signal });
}

interface Sent {
  method: "PUT" | "GET" | "HEAD" | "DELETE";
  name: string;
  digest?: string;
  body?: Blob;
  headers?: Record<string, string>;
  signal: AbortSignal;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html and its siblings. */
async function send({ url: folder, region, credentials }: BackupStore, sent: Sent): Promise<Response> {
  const { method, name, body, digest = sha256Hex("") } = sent;
  const url = new URL(name, folder);
  const headers = signAwsRequest({
    method,
    url,
    headers: { ...sent.headers, "x-amz-content-sha256": digest },
    digest,
    service: "s3",
    region,
    credentials,
    sent_at: Date.now(),
  });
  const signal = AbortSignal.any([sent.signal, AbortSignal.timeout(TRANSFER_MS)]);
  const response = await fetch(url, { method, headers, signal, ...(body && { body }) });
  const isDone =
    response.ok ||
    (method === "DELETE" && response.status === 404) ||
    (method === "PUT" && response.status === ALREADY_THERE);
  if (isDone) return response;
  const excerpt = (await response.text()).slice(0, ANSWER_EXCERPT);
  throw new Error(`BACKUP_S3_URL answered ${method} ${name} with ${response.status}: ${excerpt}`);
}
