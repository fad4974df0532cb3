import { z } from "zod";

/** What a team is notified of, and what a person may turn off. */
export const TEAM_TOPICS = [
  "down",
  "up",
  "degraded",
  "incident",
  "maintenance",
  "agent_offline",
  "certificate",
] as const;
export type TeamTopic = (typeof TEAM_TOPICS)[number];

/** Without any setting a team hears of everything but slowness. */
export const TEAM_TOPIC_DEFAULTS: Record<TeamTopic, boolean> = {
  down: true,
  up: true,
  degraded: false,
  incident: true,
  maintenance: true,
  agent_offline: true,
  certificate: true,
};

const flags = <Schema extends z.ZodType>(flag: Schema) =>
  z.object(Object.fromEntries(TEAM_TOPICS.map((topic) => [topic, flag])) as Record<TeamTopic, Schema>);

export const TeamTopics = flags(z.boolean()).meta({ id: "TeamTopics" });
export type TeamTopics = z.infer<typeof TeamTopics>;

/** Topics that the input omits keep their value; null restores the default. */
export const TeamTopicsChange = flags(z.boolean().nullish());
export type TeamTopicsChange = z.infer<typeof TeamTopicsChange>;

/** As stored: what differs from the default. */
export type StoredTopics = Partial<Record<TeamTopic, boolean>>;

export const UserPreferences = z
  .object({
    mail: z.boolean().meta({ description: "team notifications arrive as mail" }),
    in_app: z.boolean().meta({ description: "team notifications arrive in the dashboard" }),
    push: z
      .boolean()
      .meta({ description: "team notifications arrive in your browsers and phones among your contacts" }),
    notify_team: TeamTopics.meta({
      description: "of what your status pages notify their teams of, what reaches you; true unless you turned it off",
    }),
  })
  .meta({ id: "UserPreferences" });
export type UserPreferences = z.infer<typeof UserPreferences>;

export const UserPreferencesChange = z
  .object({
    mail: z.boolean().nullish().meta({ description: "default true" }),
    in_app: z.boolean().nullish().meta({ description: "default true" }),
    push: z.boolean().nullish().meta({ description: "default true" }),
    notify_team: TeamTopicsChange.nullish().meta({ description: "omitted topics keep their value; default true" }),
  })
  .meta({ id: "UserPreferencesChange" });
export type UserPreferencesChange = z.infer<typeof UserPreferencesChange>;

/** As stored: what a person turned off. */
export interface StoredPreferences {
  mail?: boolean;
  in_app?: boolean;
  push?: boolean;
  notify_team?: StoredTopics;
  /** Epoch ms at which the person turned something on again, by what it is. */
  on_since?: Partial<Record<"mail" | "in_app" | "push" | TeamTopic, number>>;
}
