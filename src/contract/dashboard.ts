import { z } from "zod";

/** What the addresses of the signed-in pages may carry. Anything else in them is no reason to refuse a person. */
export const InvitationLink = z.object({ token: z.string().default("") });
export const PasswordLinkQuery = z.object({ token: z.string().default("") });
export const SignInQuery = z.object({
  next: z.string().optional().meta({ description: "path to redirect to; of this service only" }),
  signed_out: z.string().optional(),
});
export const HomeQuery = z.object({
  joined: z.string().optional().meta({ description: "id of the status page of the accepted invitation" }),
});
