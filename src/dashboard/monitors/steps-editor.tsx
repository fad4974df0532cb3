import { STEPS_MAX } from "../../contract/journey.ts";
import { MONITOR_TYPES } from "../../contract/monitor-values.ts";
import { fieldNamesOf } from "../../probes/registry.ts";
import { FieldRow } from "../components/fields.tsx";
import type { FormValues, Problems } from "../form-fields.ts";
import { words } from "../words.ts";
import { ADD_STEP, REMOVE_STEP, stepFields, stepsShown } from "./steps-form.ts";

export const STEP_TYPES = MONITOR_TYPES.filter((type) => fieldNamesOf(type).includes("steps"));

interface StepsEditorProps {
  values: FormValues;
  problems: Problems;
  isHidden: boolean;
}

/** Every step unfolded, because what a step captures is used by those below it. */
export function StepsEditor({ values, problems, isHidden }: StepsEditorProps) {
  const text = words("dashboard-monitors").steps;
  const count = stepsShown(values);
  return (
    <fieldset class="bare" data-types={STEP_TYPES.join(" ")} hidden={isHidden} disabled={isHidden}>
      <details class="advanced" id="steps" open={count > 0 || problems.steps !== undefined}>
        <summary>{count === 0 ? text.summary.none : text.summary.some({ count, max: STEPS_MAX })}</summary>
        <div class="fields">
          <p class="quiet">
            {text.explanation.parts({
              link: <a href="/app/account/secrets">{text.secrets}</a>,
              placeholder: "{{secret.NAME}}",
            })}
          </p>
          {problems.steps === undefined ? null : (
            <p class="problem" role="alert" dir="auto">
              {problems.steps}
            </p>
          )}
          {Array.from({ length: count }, (_, n) => (
            <Step place={n + 1} values={values} problems={problems} />
          ))}
          {count < STEPS_MAX ? (
            <p class="actions">
              <button type="submit" class="second" name="intent" value={ADD_STEP}>
                {text.add}
              </button>
            </p>
          ) : null}
        </div>
      </details>
    </fieldset>
  );
}

/** Of a first request these are seldom needed; they are unfolded where one of them is filled in or wrong. */
const FOLDED = /^step_\d+_(headers|body|expected_statuses|json_assertions|captures)$/;

function Step({ place, values, problems }: { place: number; values: FormValues; problems: Problems }) {
  const text = words("dashboard-monitors").steps;
  const fields = stepFields(place);
  const folded = fields.filter(({ name }) => FOLDED.test(name));
  const isOpen = folded.some(({ name }) => (values[name] ?? "") !== "" || problems[name] !== undefined);
  return (
    <fieldset class="field">
      <legend>{text.step({ place })}</legend>
      {fields
        .filter((field) => !folded.includes(field))
        .map((field) => (
          <FieldRow field={field} values={values} problems={problems} />
        ))}
      <details class="advanced" id={`step-${place}-more`} open={isOpen}>
        <summary>{text.folded({ place })}</summary>
        <div class="fields">
          {folded.map((field) => (
            <FieldRow field={field} values={values} problems={problems} />
          ))}
        </div>
      </details>
      <p class="actions">
        <button type="submit" class="second" name="intent" value={`${REMOVE_STEP}${place}`}>
          {text.remove({ place })}
        </button>
      </p>
    </fieldset>
  );
}
