import { STEPS_MAX } from "../../contract/journey.ts";
import { MONITOR_TYPES } from "../../contract/monitor-values.ts";
import { fieldNamesOf } from "../../probes/registry.ts";
import { FieldRow } from "../components/fields.tsx";
import type { FormValues, Problems } from "../form-fields.ts";
import { ADD_STEP, REMOVE_STEP, stepFields, stepsShown } from "./steps-form.ts";

export const STEP_TYPES = MONITOR_TYPES.filter((type) => fieldNamesOf(type).includes("steps"));

interface StepsEditorProps {
  values: FormValues;
  problems: Problems;
  isHidden: boolean;
}

/** Every step unfolded, because what a step captures is used by those below it. */
export function StepsEditor({ values, problems, isHidden }: StepsEditorProps) {
  const count = stepsShown(values);
  return (
    <fieldset class="bare" data-types={STEP_TYPES.join(" ")} hidden={isHidden} disabled={isHidden}>
      <details class="advanced" id="steps" open={count > 0 || problems.steps !== undefined}>
        <summary>{count === 0 ? "Journey: several requests" : `Journey: ${count} of ${STEPS_MAX} steps`}</summary>
        <div class="fields">
          <p class="quiet">
            Requests that are sent one after the other instead of the single one, with cookies and captured values of
            those before. Values of <a href="/app/account/secrets">secrets</a> stand for {"{{secret.NAME}}"}.
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
                Add a step
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
  const fields = stepFields(place);
  const folded = fields.filter(({ name }) => FOLDED.test(name));
  const isOpen = folded.some(({ name }) => (values[name] ?? "") !== "" || problems[name] !== undefined);
  return (
    <fieldset class="field">
      <legend>Step {place}</legend>
      {fields
        .filter((field) => !folded.includes(field))
        .map((field) => (
          <FieldRow field={field} values={values} problems={problems} />
        ))}
      <details class="advanced" id={`step-${place}-more`} open={isOpen}>
        <summary>Headers, body, codes and captures of step {place}</summary>
        <div class="fields">
          {folded.map((field) => (
            <FieldRow field={field} values={values} problems={problems} />
          ))}
        </div>
      </details>
      <p class="actions">
        <button type="submit" class="second" name="intent" value={`${REMOVE_STEP}${place}`}>
          Remove step {place}
        </button>
      </p>
    </fieldset>
  );
}
