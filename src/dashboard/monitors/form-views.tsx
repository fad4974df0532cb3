import { MONITOR_TYPES, type MonitorType } from "../../contract/monitor-values.ts";
import { monitorType } from "../../probes/registry.ts";
import { AdvancedSummary, FieldRow, FormProblem } from "../components/fields.tsx";
import { StatusWord } from "../components/status-word.tsx";
import type { FormField, FormValues, Problems } from "../form-fields.ts";
import { AllowNetwork } from "../installation/networks-routes.tsx";
import { MADE_FROM } from "../merge.ts";
import { regionName } from "../registry-names.ts";
import type { View } from "../shell.tsx";
import { words } from "../words.ts";
import { defaultsOf, isShownFor, type MonitorForm, rhythmsFor, typeOf } from "./form.ts";
import { OneField } from "./one-field.tsx";
import { RHYTHMS_OF } from "./rhythm.ts";
import { StepResults } from "./step-results.tsx";
import { STEP_TYPES, StepsEditor } from "./steps-editor.tsx";
import type { TestResult } from "./test-result.ts";
import { TypeTiles } from "./type-tiles.tsx";

interface FormView {
  form: MonitorForm;
  values: FormValues;
  /** As sentences. */
  problems: Problems;
  /** Where the form goes. */
  action: string;
  /** The monitor that is edited. */
  edited?: { id: string; name: string };
  /** What the form was made from. */
  seen?: string | undefined;
  /** Nothing was entered or copied yet: one field may spare all others. */
  isBlank?: boolean;
  /** By what led here. */
  isTypeChosen?: boolean;
  /** Of each region. */
  tested?: readonly TestResult[] | undefined;
  /** What an operator may allow, so that the target is reached. */
  network?: string | null;
  status?: number;
  headers?: Record<string, string>;
}

export function monitorFormView(view: FormView): View {
  const text = words("dashboard-monitors").form_view;
  const { edited, values, problems, tested, action, form } = view;
  const type = typeOf(values);
  const title = edited ? text.edit({ name: edited.name }) : text.add;
  const back = edited ? `/app/monitors/${edited.id}` : "/app/monitors";
  return {
    title,
    section: "monitors",
    isNarrow: true,
    trail: [{ href: "/app/monitors", text: text.monitors }, ...(edited ? [{ href: back, text: edited.name }] : [])],
    hasProblem: Object.keys(problems).length > 0,
    ...(view.status === undefined ? {} : { status: view.status }),
    ...(view.headers === undefined ? {} : { headers: view.headers }),
    children: (
      <>
        {view.isBlank ? (
          <>
            {view.isTypeChosen ? null : <OneField />}
            <TypeTiles chosen={type} hasAgents={form.agents.length > 0} isFolded={view.isTypeChosen ?? false} />
          </>
        ) : null}
        <form method="post" action={action} class="card" data-typed novalidate>
          {view.seen === undefined ? null : <input type="hidden" name={MADE_FROM} value={view.seen} />}
          {/* What Enter presses is the first button of a form, and that must not be one of the steps. */}
          <button type="submit" hidden>
            {text.save}
          </button>
          <FormProblem problems={problems} />
          {tested ? <Tested results={tested} /> : null}
          {view.network ? <AllowNetwork network={view.network} /> : null}
          <FieldsOf form={form} values={values} problems={problems} type={type} advanced={false} />
          <StepsEditor values={values} problems={problems} isHidden={!STEP_TYPES.includes(type)} />
          <details class="advanced" id="advanced" open={hasAdvancedProblem(form, problems)}>
            <AdvancedSummary
              fields={form.fields.filter((field) => field.advanced && isShownFor(form, field.name, type))}
              values={values}
              defaults={defaultsOf(form, values)}
            />
            <div class="fields">
              <FieldsOf form={form} values={values} problems={problems} type={type} advanced />
            </div>
          </details>
          <p class="hint">
            {text.channels.text.parts({
              link: <a href="/app/alerts">{text.channels.link}</a>,
              add: (
                <a href="/app/alerts/new" target="_blank" rel="noopener">
                  {text.channels.add}
                </a>
              ),
            })}
          </p>
          <div class="actions">
            <button type="submit">{text.save}</button>
            <TestButton type={type} />
            <button type="submit" class="second" name="intent" value="fields" data-unscripted>
              {text.show_fields}
            </button>
            <a class="button second" href={back}>
              {text.cancel}
            </a>
          </div>
        </form>
      </>
    ),
  };
}

/** Types that the service checks itself; others report by themselves, or their agent does. */
const TESTED_TYPES = MONITOR_TYPES.filter((type) => monitorType(type).source === "edge");

/** Hidden like the fields of other types where there is nothing to test from here. */
export function TestButton({ type }: { type: MonitorType }) {
  const text = words("dashboard-monitors").form_view;
  const isHidden = !TESTED_TYPES.includes(type);
  return (
    <fieldset class="bare" data-types={TESTED_TYPES.join(" ")} hidden={isHidden} disabled={isHidden}>
      <button type="submit" class="second" name="intent" value="test">
        {text.test}
      </button>
    </fieldset>
  );
}

const WORST_FIRST = ["down", "degraded", "unknown", "up"] as const;
const BANNERS = { up: "", degraded: "is-warn", down: "is-bad", unknown: "is-info" };

export function Tested({ results }: { results: readonly TestResult[] }) {
  const worst = WORST_FIRST.find((status) => results.some((result) => result.status === status)) ?? "unknown";
  return (
    <div class={`banner ${BANNERS[worst]}`} role="status" id="test-result">
      {results.map(({ region, status, text, steps }) => (
        <>
          <p dir="auto">
            {results.length > 1 ? <strong>{regionName(region)}: </strong> : null}
            <StatusWord status={status} />
            {text}
          </p>
          <StepResults steps={steps} />
        </>
      ))}
    </div>
  );
}

interface FieldsOfProps {
  form: MonitorForm;
  values: FormValues;
  problems: Problems;
  type: MonitorType;
  advanced: boolean;
}

/** Fields that do not apply are there, disabled: the script shows them when another type or rhythm is chosen. */
function FieldsOf({ form, values, problems, type, advanced }: FieldsOfProps) {
  return (
    <>
      {form.fields
        .filter((field) => (field.advanced ?? false) === advanced)
        .map((field) => {
          const types = form.typesOf.get(field.name);
          const rhythms = RHYTHMS_OF.get(field.name);
          const row = <FieldRow field={forType(field)} values={values} problems={problems} />;
          if (!types && !rhythms) return row;
          const isHidden = !isShownFor(form, field.name, type) || !isInRhythm(field.name, type, values);
          return (
            <fieldset
              class="bare"
              data-types={types?.join(" ")}
              data-rhythms={rhythms?.join(" ")}
              hidden={isHidden}
              disabled={isHidden}
            >
              {row}
            </fieldset>
          );
        })}
    </>
  );
}

function isInRhythm(name: string, type: MonitorType, { rhythm }: FormValues): boolean {
  return rhythmsFor(name, type)?.includes(String(rhythm)) ?? true;
}

/** The API says what is missing, beside its field; a browser's own bubble would keep the form from it. */
function forType(field: FormField): FormField {
  return { ...field, required: false };
}

function hasAdvancedProblem({ fields }: MonitorForm, problems: Problems): boolean {
  return fields.some(({ name, advanced }) => advanced === true && problems[name] !== undefined);
}
