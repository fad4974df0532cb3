import { z } from "zod";

const TAGS_MAX = 50;

export const Tags = z.array(z.string().trim().min(1).max(100)).max(TAGS_MAX);
