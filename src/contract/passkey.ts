import { z } from "zod";
import { Id, Instant, Name } from "./common.ts";

/** What browsers make of passkeys and take for them, in the JSON forms of Web Authentication Level 3. */
const BASE64URL_LENGTH_MAX = 8192;
const Base64Url = z
  .string()
  .max(BASE64URL_LENGTH_MAX)
  .regex(/^[\w-]*$/, "must be base64url");
/** Of a passkey; the standard allows 1,023 bytes. */
const CredentialId = z
  .string()
  .min(1)
  .max(1364)
  .regex(/^[\w-]+$/, "must be base64url");

const TRANSPORTS_MAX = 10;
const Transports = z.array(z.string().max(20)).max(TRANSPORTS_MAX);

const Credential = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal("public-key"),
  clientExtensionResults: z.record(z.string(), z.unknown()).nullish(),
  authenticatorAttachment: z.string().max(20).nullish(),
});

/** The answer of `navigator.credentials.get()`. */
export const PasskeyAssertion = Credential.extend({
  response: z.object({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.nullish(),
  }),
}).meta({ id: "PasskeyAssertion", description: "what `navigator.credentials.get()` gave, as its `toJSON()`" });
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;

/** The answer of `navigator.credentials.create()`. */
export const PasskeyAttestation = Credential.extend({
  response: z.object({
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
    transports: Transports.nullish(),
    authenticatorData: Base64Url.nullish(),
    publicKey: Base64Url.nullish(),
    publicKeyAlgorithm: z.number().int().nullish(),
  }),
}).meta({ id: "PasskeyAttestation", description: "what `navigator.credentials.create()` gave, as its `toJSON()`" });
export type PasskeyAttestation = z.infer<typeof PasskeyAttestation>;

const Descriptor = z.object({ id: z.string(), type: z.literal("public-key"), transports: Transports.optional() });

export const PasskeyRequest = z
  .object({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.number().int(),
    userVerification: z.literal("required"),
    allowCredentials: z.array(Descriptor),
  })
  .meta({ id: "PasskeyRequest", description: "for `PublicKeyCredential.parseRequestOptionsFromJSON()`" });
export type PasskeyRequest = z.infer<typeof PasskeyRequest>;

export const PasskeyCreation = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.number().int() })),
    timeout: z.number().int(),
    excludeCredentials: z.array(Descriptor),
    authenticatorSelection: z.object({
      residentKey: z.literal("required"),
      requireResidentKey: z.literal(true),
      userVerification: z.literal("required"),
    }),
    attestation: z.literal("none"),
  })
  .meta({ id: "PasskeyCreation", description: "for `PublicKeyCredential.parseCreationOptionsFromJSON()`" });
export type PasskeyCreation = z.infer<typeof PasskeyCreation>;

export const PasskeySignIn = z.object({ passkey: PasskeyAssertion }).meta({ id: "PasskeySignIn" });

/** "Confirm that it is you": the password of the account, or one of its passkeys instead. */
export const Confirmation = z
  .object({
    password: z.string().max(256).nullish(),
    passkey: PasskeyAssertion.nullish().meta({
      description: "instead of the password, for the challenge of POST /auth/passkeys/confirm",
    }),
  })
  .meta({ id: "Confirmation" });
export type Confirmation = z.infer<typeof Confirmation>;

export const PasskeyCreate = z
  .object({ name: Name.meta({ description: "to tell it from your others" }), credential: PasskeyAttestation })
  .meta({ id: "PasskeyCreate" });
export type PasskeyCreate = z.infer<typeof PasskeyCreate>;

export const PasskeyChange = z.object({ name: Name }).meta({ id: "PasskeyChange" });
export type PasskeyChange = z.infer<typeof PasskeyChange>;

export const Passkey = z
  .object({
    id: Id,
    name: z.string(),
    host: z.string().meta({ description: "the name of this service under which it works" }),
    last_used_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Passkey" });

export const CreatedPasskey = Passkey.extend({
  recovery_codes: z.array(z.string()).meta({
    description: "10 codes, shown once, with the first second factor of the account; empty with later ones",
  }),
}).meta({ id: "CreatedPasskey" });
