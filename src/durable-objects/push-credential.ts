import type { Push } from "../contract/monitor-object.ts";

type Credential = Pick<Push, "credential_version"> & Partial<Pick<Push, "credential_key">>;

export function isCurrentCredential(known: Credential, presented: Credential): boolean {
  return known.credential_version === presented.credential_version && isSameKey(known, presented);
}

export function isNewerCredential(known: Credential, presented: Credential): boolean {
  const step = presented.credential_version - known.credential_version;
  return step > 0 || (step === 0 && !isSameKey(known, presented));
}

/** Where none is stored, the row is older than root keys with ids. */
function isSameKey({ credential_key = 1 }: Credential, presented: Credential): boolean {
  return credential_key === presented.credential_key;
}
