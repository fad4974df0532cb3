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
      "default: as the target's scheme or port says, e.g. on for `imaps://host` and `host:993`, else off",
  })
  .transform((mode): TlsMode | null => mode ?? null);

/** The field of a type that knows these modes; null leaves the choice to the target. */
export function tlsCheck(modes: readonly TlsMode[]) {
  return z.object({
    tls_mode: TlsField.refine((mode) => mode === null || modes.includes(mode), {
      error: `tls_mode must be ${modes.join(" or ")}`,
    }),
  });
}
export interface TlsCheck {
  tls_mode: TlsMode | null;
}
