import { z } from "zod";

/** The field of a monitor that watches a certificate. */
export const SSL_FIELDS = {
  ssl_expiry_warning_days: z
    .int()
    .min(0)
    .max(365)
    .nullish()
    .meta({ description: "ssl: degraded when the certificate expires within so many days; default 14" }),
};

export const SslCheck = z.object({
  ssl_expiry_warning_days: SSL_FIELDS.ssl_expiry_warning_days.transform((days) => days ?? 14),
});
export type SslCheck = z.infer<typeof SslCheck>;
