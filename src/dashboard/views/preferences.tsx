import { TEAM_TOPICS, type UserPreferences } from "../../contract/team-notification.ts";
import type { FormField, FormValues } from "../form-fields.ts";
import { MADE_FROM, madeFrom } from "../merge.ts";
import { words } from "../words.ts";
import { renderDocument } from "./frame.tsx";

interface PreferencesView {
  email: string;
  preferences: UserPreferences;
  /** Said above the form. */
  saved?: string;
  /** The link's own address, token included. */
  href: string;
}

export const preferenceFields = (): readonly FormField[] => {
  const text = words("dashboard-frame").preferences;
  return [
    { kind: "checkbox", name: "mail", label: text.mail },
    { kind: "checkbox", name: "in_app", label: text.in_app },
    { kind: "checkbox", name: "push", label: text.push },
    ...TEAM_TOPICS.map((name): FormField => ({ kind: "checkbox", name, label: text.topics[name] })),
  ];
};

export const preferenceValues = ({ mail, in_app, push, notify_team }: UserPreferences): FormValues => ({
  mail,
  in_app,
  push,
  ...notify_team,
});

export function renderPreferences({ email, preferences, saved, href }: PreferencesView): string {
  const text = words("dashboard-frame").preferences;
  const values = preferenceValues(preferences);
  const [own, topics] = [preferenceFields().slice(0, 3), preferenceFields().slice(3)];
  return renderDocument({
    title: text.title,
    isNarrow: true,
    children: (
      <>
        <h1>{text.title}</h1>
        <p class="lead">{text.lead({ email })}</p>
        {saved === undefined ? null : <p role="status">{saved}</p>}
        <form class="card" method="post" action={href}>
          <input type="hidden" name={MADE_FROM} value={madeFrom(preferenceFields(), values)} />
          {own.map((field) => (
            <Tick field={field} values={values} />
          ))}
          <fieldset>
            <legend>{text.about}</legend>
            {topics.map((field) => (
              <Tick field={field} values={values} />
            ))}
          </fieldset>
          <button type="submit" name="save" value="1">
            {text.save}
          </button>
        </form>
        <form class="card" method="post" action={href}>
          <button type="submit" name="stop" value="1">
            {text.stop}
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
