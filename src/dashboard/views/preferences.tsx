import { TEAM_TOPICS, type TeamTopic, type UserPreferences } from "../../contract/team-notification.ts";
import { renderDocument } from "./frame.tsx";

interface PreferencesView {
  email: string;
  preferences: UserPreferences;
  isSaved: boolean;
  /** The link's own address, token included. */
  href: string;
}

const LABELS: Record<TeamTopic, string> = {
  down: "A monitor is down",
  up: "A monitor is up again",
  degraded: "A monitor is slow",
  incident: "Incidents",
  maintenance: "Maintenance",
  agent_offline: "An agent is offline",
  certificate: "A certificate or domain expires",
};

export function renderPreferences({ email, preferences, isSaved, href }: PreferencesView): string {
  return renderDocument({
    title: "Notification settings",
    isNarrow: true,
    children: (
      <>
        <h1>Notification settings</h1>
        <p class="lead">For {email}, of every status page whose team you are in.</p>
        {isSaved ? <p role="status">Saved.</p> : null}
        <form class="card" method="post" action={href}>
          <p>
            <label>
              <input type="checkbox" name="mail" checked={preferences.mail} /> Notify me by mail
            </label>
          </p>
          <p>
            <label>
              <input type="checkbox" name="in_app" checked={preferences.in_app} /> Notify me in the dashboard
            </label>
          </p>
          <fieldset>
            <legend>About</legend>
            {TEAM_TOPICS.map((topic) => (
              <p>
                <label>
                  <input type="checkbox" name={topic} checked={preferences.notify_team[topic]} /> {LABELS[topic]}
                </label>
              </p>
            ))}
          </fieldset>
          <button type="submit" name="save" value="1">
            Save
          </button>
        </form>
        <form class="card" method="post" action={href}>
          <button type="submit" name="stop" value="1">
            Stop all mail
          </button>
        </form>
      </>
    ),
  });
}
