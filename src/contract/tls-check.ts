import { z } from "zod";

/** `starttls`: the connection begins in clear and turns to TLS by a command of the protocol. */
export const TLS_MODES = ["off", "starttls", "on"] as const;
export type TlsMode = (typeof TLS_MODES)[number];

const TlsField = z
  .enum(TLS_MODES)
  .nullish()
  .meta({
    description:
      "smtp, pop3, imap: off, starttls or on; redis, telnet, postgres, mysql: off or on; " +
      "default: by the target's scheme or port, e.g. on for `imaps://host` and `host:993`, else off",
  })
  .transform((mode): TlsMode | null => mode ?? null);

const VerifyField = z
  .boolean()
  .nullish()
  .transform((value) => value ?? true);

/** The fields of a type that knows these modes; a mode of null leaves the choice to the target. */
export function tlsCheck(modes: readonly TlsMode[]) {
  return z.object({
    tls_mode: TlsField.refine((mode) => mode === null || modes.includes(mode), {
      error: `tls_mode must be ${modes.join(" or ")}`,
    }),
    verify_ssl: VerifyField,
  });
}
export const postgresCheck = tlsCheck(["off", "on"]).extend({
  allow_clear_password: z
    .boolean()
    .nullish()
    .meta({
      description: "postgres: sends the password without TLS to a server that asks for it in clear; default false",
    })
    .transform((value) => value ?? false),
});
export interface PostgresCheck extends TlsCheck {
  allow_clear_password: boolean;
}

export interface TlsCheck {
  tls_mode: TlsMode | null;
  /** False needs an agent: the edge cannot accept a certificate that is not valid. */
  verify_ssl?: boolean;
}
