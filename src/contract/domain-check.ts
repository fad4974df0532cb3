import { z } from "zod";

/** The field of a monitor that watches the registration of a domain. */
export const DOMAIN_FIELDS = {
  domain_expiry_warning_days: z
    .int()
    .min(0)
    .max(365)
    .nullish()
    .meta({ description: "domain: degraded when the registration ends within so many days; default 30" }),
};

export const DomainCheck = z.object({
  domain_expiry_warning_days: DOMAIN_FIELDS.domain_expiry_warning_days.transform((days) => days ?? 30),
});
export type DomainCheck = z.infer<typeof DomainCheck>;
