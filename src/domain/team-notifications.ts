import { EVENTS, type KnownEvent } from "../contract/events.ts";
import {
  type StoredPreferences,
  type StoredTopics,
  TEAM_TOPIC_DEFAULTS,
  TEAM_TOPICS,
  type TeamTopic,
  type TeamTopics,
  type TeamTopicsChange,
  type UserPreferences,
  type UserPreferencesChange,
} from "../contract/team-notification.ts";
import { isOfBundle, isSaidByStatus, repeatsOutage } from "./alert-bundling.ts";

/** By which a person is notified as a member of a team. */
const CHANNELS = ["mail", "in_app", "push"] as const;
export type TeamChannel = (typeof CHANNELS)[number];

const EVERYTHING = topicsFrom(() => true);

function topicsFrom(decide: (topic: TeamTopic) => boolean): TeamTopics {
  return Object.fromEntries(TEAM_TOPICS.map((topic) => [topic, decide(topic)])) as TeamTopics;
}

/** The setting of a page with its defaults. */
export function fillTopics(stored: StoredTopics, defaults: TeamTopics = TEAM_TOPIC_DEFAULTS): TeamTopics {
  return topicsFrom((topic) => stored[topic] ?? defaults[topic]);
}

/** What is stored after a change: omitted topics keep their value, null restores the default. */
export function mergeTopics(stored: StoredTopics, change: TeamTopicsChange | null | undefined): StoredTopics {
  if (change === undefined) return stored;
  const merged = TEAM_TOPICS.flatMap((topic) => {
    const value = change === null ? null : change[topic] === undefined ? stored[topic] : change[topic];
    return value == null ? [] : [[topic, value]];
  });
  return Object.fromEntries(merged);
}

export function fillPreferences({
  mail = true,
  in_app = true,
  push = true,
  notify_team = {},
}: StoredPreferences): UserPreferences {
  return { mail, in_app, push, notify_team: fillTopics(notify_team, EVERYTHING) };
}

export function mergePreferences(
  stored: StoredPreferences,
  change: UserPreferencesChange,
  now: number,
): StoredPreferences {
  const merged = (now: boolean | undefined, asked: boolean | null | undefined) =>
    asked === undefined ? now : (asked ?? undefined);
  const preferences = {
    mail: merged(stored.mail, change.mail),
    in_app: merged(stored.in_app, change.in_app),
    push: merged(stored.push, change.push),
    notify_team: mergeTopics(stored.notify_team ?? {}, change.notify_team),
  };
  const [before, after] = [fillPreferences(stored), fillPreferences(preferences)];
  const turnedOn = [
    ...CHANNELS.filter((channel) => after[channel] && !before[channel]),
    ...TEAM_TOPICS.filter((topic) => after.notify_team[topic] && !before.notify_team[topic]),
  ];
  if (stored.on_since === undefined && turnedOn.length === 0) return preferences;
  return { ...preferences, on_since: { ...stored.on_since, ...Object.fromEntries(turnedOn.map((key) => [key, now])) } };
}

/**
 * Under which topic an event reaches a person; null when it does not. The automatic incident of an outage repeats what
 * `monitor.down` and `monitor.up` say, so it reaches only those who turned these off.
 */
export function topicFor(event: KnownEvent, page: TeamTopics, preferences: UserPreferences): TeamTopic | null {
  const wants = (topic: TeamTopic) => page[topic] && preferences.notify_team[topic];
  const topic = EVENTS[event.name].team;
  if (topic === null || !wants(topic) || isOfBundle(event)) return null;
  if (isSaidByStatus(event) && wants("degraded")) return null;
  if (repeatsOutage(event) && wants(event.name === "incident.created" ? "down" : "up")) return null;
  return topic;
}

/** Whom an alarm reached or not. */
export interface TeamReader {
  page: TeamTopics;
  preferences: StoredPreferences;
  /** Epoch ms; 0 for the owner. */
  joined_at: number;
}

/**
 * Whether a person was notified of an alarm by a channel, so that its end is news to them: they were in the team then, and
 * had it turned on. Who turned outages off and not their ends chose so; slowness is off unless somebody turns it on.
 */
export function wasNotified(
  alarm: { event: KnownEvent; announced_at: number },
  { page, preferences, joined_at }: TeamReader,
  channel: TeamChannel,
): boolean {
  const { event, announced_at } = alarm;
  const topic = EVENTS[event.name].team;
  const { on_since = {} } = preferences;
  if (topic === null || Math.max(joined_at, on_since[channel] ?? 0) > announced_at) return false;
  if (topicFor(event, page, fillPreferences(preferences)) === null) return topic !== "degraded";
  return (on_since[topic] ?? 0) <= announced_at;
}
