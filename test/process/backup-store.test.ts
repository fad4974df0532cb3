import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backupStoreOf, fetchBackup, removeStored, storeBackup } from "../../scripts/local/backup-store.ts";
import { S3Server } from "../support/s3-server.ts";
import { temporaryDir } from "./support.ts";

const { signal } = new AbortController();
const NAME = "vigil-2026-11-01.backup";
const server = new S3Server();
let env: Record<string, string>;
beforeAll(async () => {
  env = { ...(await server.start()), BACKUP_PASSPHRASE: "correct horse" };
});
afterAll(() => server.stop());

function storeOf(settings: Record<string, string>) {
  const store = backupStoreOf(settings);
  if (!store) throw new Error("no store is set");
  return store;
}

describe("a bucket for backups", () => {
  it("gives back what was stored, and has nothing of what was removed, also when that is asked for twice", async () => {
    const store = storeOf(env);
    const dir = temporaryDir();
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7) % 256));
    writeFileSync(join(dir, NAME), content);
    await storeBackup(store, join(dir, NAME), signal);
    expect([...server.objects.keys()]).toEqual([`of vigil/${NAME}`]);
    const file = join(dir, "fetched");
    await fetchBackup(store, { name: NAME, file, signal });
    expect(readFileSync(file).equals(content)).toBe(true);
    await removeStored(store, NAME, signal);
    await removeStored(store, NAME, signal);
    expect(server.objects.size).toBe(0);
    await expect(fetchBackup(store, { name: NAME, file, signal })).rejects.toThrow(/404: .*NoSuchKey/);
  });

  it("takes a backup once, and never another one in its place", async () => {
    const store = storeOf(env);
    const [first, second] = [temporaryDir(), temporaryDir()];
    writeFileSync(join(first, NAME), "of the service that was lost");
    writeFileSync(join(second, NAME), "of an empty disk");
    await storeBackup(store, join(first, NAME), signal);
    await storeBackup(store, join(first, NAME), signal);
    await expect(storeBackup(store, join(second, NAME), signal)).rejects.toThrow(/did not make.*another folder/);
    expect(server.objects.get(`of vigil/${NAME}`)?.toString()).toBe("of the service that was lost");
    await removeStored(store, NAME, signal);
  });

  it("refuses a wrong key, which is said with the answer and without the key", async () => {
    const file = join(temporaryDir(), NAME);
    writeFileSync(file, "x");
    const wrong = storeOf({ ...env, BACKUP_S3_SECRET: "another secret" });
    const stored = storeBackup(wrong, file, signal);
    await expect(stored).rejects.toThrow(/403: .*SignatureDoesNotMatch/);
    await expect(stored).rejects.not.toThrow(/another secret/);
  });

  it.each([
    ["without a passphrase", { BACKUP_PASSPHRASE: "" }, /needs BACKUP_PASSPHRASE/],
    ["without a key", { BACKUP_S3_SECRET: "" }, /needs BACKUP_S3_KEY_ID and BACKUP_S3_SECRET/],
    ["that is no address", { BACKUP_S3_URL: "s3://bucket" }, /must be the address of a bucket/],
    ["of a host alone", { BACKUP_S3_URL: "https://s3.example" }, /must be the address of a bucket/],
  ])("is refused %s, before the service starts", (_what, change, reason) => {
    expect(() => backupStoreOf({ ...env, ...change })).toThrow(reason);
  });

  it("of Amazon says by its address which region it is in", () => {
    const at = (host: string) =>
      backupStoreOf({ ...env, BACKUP_S3_REGION: "", BACKUP_S3_URL: `https://${host}/backups` })?.region;
    expect([at("s3.eu-central-1.amazonaws.com"), at("0123.r2.cloudflarestorage.com")]).toEqual([
      "eu-central-1",
      "auto",
    ]);
  });

  it("is not needed", () => {
    expect(backupStoreOf({ BACKUP_PASSPHRASE: "x" })).toBeUndefined();
  });
});
