import { z } from "zod";

/** `starttls`: the connection begins in clear and turns to TLS by a command of the protocol. */
export const TLS_MODES = ["off", "starttls", "on"] as const;
export type TlsMode = (typeof TLS_MODES)[number];

/** The field of a monitor of a type that speaks a protocol over a plain or an encrypted connection. */
export const TLS_FIELDS = {
  tls_mode: z
    .enum(TLS_MODES)
    .nullish()
    .meta({
      description:
        "smtp, pop3, imap: off, starttls or on; redis, telnet, postgres, mysql: off or on; " +
        "default: as the target's scheme or port says, e.g. on for `imaps://host` and `host:993`, else off",
    }),
};

/** Reads the field for a type that knows these modes; null leaves the choice to the target. */
export function tlsCheck<const Modes extends readonly TlsMode[]>(modes: Modes) {
  return z.object({
    tls_mode: z
      .enum(modes, { error: `tls_mode must be ${modes.join(" or ")}` })
      .nullish()
      .transform((mode): TlsMode | null => mode ?? null),
  });
}
export interface TlsCheck {
  tls_mode: TlsMode | null;
}
