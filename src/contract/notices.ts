import { z } from "zod";

/** What a success adds to the answer, because it is easily overlooked. */
export const Notice = z
  .object({ path: z.string().meta({ description: "the member that it is about" }), message: z.string() })
  .meta({ id: "Notice" });
export type Notice = z.infer<typeof Notice>;
