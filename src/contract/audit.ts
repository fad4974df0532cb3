export const ACTOR_TYPES = ["user", "agent", "system", "token"] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];
