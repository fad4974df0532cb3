import { TEAM_TOPICS, type TeamTopic, type UserPreferences } from "../../contract/team-notification.ts";
import type { FormField, FormValues } from "../form-fields.ts";
import { MADE_FROM, madeFrom } from "../merge.ts";
import { renderDocument } from "./frame.tsx";

interface PreferencesView {
  email: string;
  preferences: UserPreferences;
  /** Said above the form. */
  saved?: string;
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

export const PREFERENCE_FIELDS: readonly FormField[] = [
  { kind: "checkbox", name: "mail", label: "Notify me by mail" },
  { kind: "checkbox", name: "in_app", label: "Notify me in the dashboard" },
  { kind: "checkbox", name: "push", label: "Notify me in my browsers and on my phones" },
  ...TEAM_TOPICS.map((name): FormField => ({ kind: "checkbox", name, label: LABELS[name] })),
];

export const preferenceValues = ({ mail, in_app, push, notify_team }: UserPreferences): FormValues => ({
  mail,
  in_app,
  push,
  ...notify_team,
});

export function renderPreferences({ email, preferences, saved, href }: PreferencesView): string {
  const values = preferenceValues(preferences);
  const [own, topics] = [PREFERENCE_FIELDS.slice(0, 3), PREFERENCE_FIELDS.slice(3)];
  return renderDocument({
    title: "Notification settings",
    isNarrow: true,
    children: (
      <>
        <h1>Notification settings</h1>
        <p class="lead">For {email}, of every status page whose team you are in.</p>
        {saved === undefined ? null : <p role="status">{saved}</p>}
        <form class="card" method="post" action={href}>
          <input type="hidden" name={MADE_FROM} value={madeFrom(PREFERENCE_FIELDS, values)} />
          {own.map((field) => (
            <Tick field={field} values={values} />
          ))}
          <fieldset>
            <legend>About</legend>
            {topics.map((field) => (
              <Tick field={field} values={values} />
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

function Tick({ field: { name, label }, values }: { field: FormField; values: FormValues }) {
  return (
    <p>
      <label>
        <input type="checkbox" name={name} checked={values[name] === true} /> {label}
      </label>
    </p>
  );
}
