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
import { isOfBundle, repeatsOutage } from "./alert-bundling.ts";

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

export function mergePreferences(stored: StoredPreferences, change: UserPreferencesChange): StoredPreferences {
  const merged = (now: boolean | undefined, asked: boolean | null | undefined) =>
    asked === undefined ? now : (asked ?? undefined);
  return {
    mail: merged(stored.mail, change.mail),
    in_app: merged(stored.in_app, change.in_app),
    push: merged(stored.push, change.push),
    notify_team: mergeTopics(stored.notify_team ?? {}, change.notify_team),
  };
}

/**
 * Under which topic an event reaches a person; null when it does not. The automatic incident of an outage repeats what
 * `monitor.down` and `monitor.up` say, so it reaches only those who turned these off.
 */
export function topicFor(event: KnownEvent, page: TeamTopics, preferences: UserPreferences): TeamTopic | null {
  const wants = (topic: TeamTopic) => page[topic] && preferences.notify_team[topic];
  const topic = EVENTS[event.name].team;
  if (topic === null || !wants(topic) || isOfBundle(event)) return null;
  if (repeatsOutage(event) && wants(event.name === "incident.created" ? "down" : "up")) return null;
  return topic;
}
