import { type FormField, type FormValues, labelsOfSet, type Option, type Problems, zoneName } from "../form-fields.ts";
import { words } from "../words.ts";
import { CONFIRM_CHALLENGE, PasskeyAnswer } from "./passkey.tsx";

interface FieldsProps {
  fields: readonly FormField[];
  values: FormValues;
  /** As sentences, by field. */
  problems: Problems;
}

/** The fields of a form. Advanced ones are folded away, unless one of them has a problem. */
export function Fields({ fields, values, problems }: FieldsProps) {
  const advanced = fields.filter((field) => field.advanced);
  return (
    <>
      {rowsOf(fields.filter((field) => !field.advanced)).map(([first, ...others]) =>
        first.together === undefined ? (
          <FieldRow field={first} values={values} problems={problems} />
        ) : (
          <fieldset class="together">
            <legend>{first.together}</legend>
            {[first, ...others].map((field) => (
              <FieldRow field={field} values={values} problems={problems} />
            ))}
          </fieldset>
        ),
      )}
      {advanced.length > 0 ? (
        <details class="advanced" open={advanced.some(({ name }) => problems[name] !== undefined)}>
          <AdvancedSummary fields={advanced} values={values} />
          <div class="fields">
            {advanced.map((field) => (
              <FieldRow field={field} values={values} problems={problems} />
            ))}
          </div>
        </details>
      ) : null}
    </>
  );
}

interface AdvancedSummaryProps extends Pick<FieldsProps, "fields" | "values"> {
  /** What a field holds that nobody chose. */
  defaults?: FormValues;
}

/** Says what of the folded fields is set, so that no one has to look. */
export function AdvancedSummary({ fields, values, defaults }: AdvancedSummaryProps) {
  const text = words("dashboard-frame").fields;
  const labels = labelsOfSet(fields, values, defaults);
  return (
    <summary>
      {text.advanced}
      {labels.length === 0 ? null : <span class="hint"> {text.set({ labels: labels.join(", ") })}</span>}
    </summary>
  );
}

/** Fields that stand together, in their order; the others each by itself. */
function rowsOf(fields: readonly FormField[]): [FormField, ...FormField[]][] {
  const rows: [FormField, ...FormField[]][] = [];
  for (const field of fields) {
    const last = rows.at(-1);
    if (last && field.together !== undefined && last[0].together === field.together) last.push(field);
    else rows.push([field]);
  }
  return rows;
}

/** The problem of the form as a whole. */
export function FormProblem({ problems }: { problems: Problems }) {
  if (problems[""] === undefined) return null;
  return (
    <p class="problem banner is-bad" role="alert" dir="auto">
      {problems[""]}
    </p>
  );
}

interface FieldRowProps {
  field: FormField;
  values: FormValues;
  problems: Problems;
}

/** Label, hint and problem stand before the control, where an on-screen keyboard does not hide them. */
export function FieldRow({ field, values, problems }: FieldRowProps) {
  const { name, label, hint } = field;
  const problem = problems[name];
  const described = describe(name, hint, problem);
  const notes = <Notes name={name} hint={hint} problem={problem} />;
  if (field.kind === "checkbox") {
    return (
      <div class="field">
        <label class="tick">
          <input type="checkbox" id={name} name={name} checked={values[name] === true} {...described} /> {label}
        </label>
        {notes}
      </div>
    );
  }
  if (field.kind === "passkey") return <PasskeyField field={field} problem={problem} />;
  if (field.kind === "several") return <Several field={field} values={values} problems={problems} />;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {notes}
      <Control field={field} value={textOf(values[name])} described={described} />
    </div>
  );
}

function PasskeyField({ field, problem }: { field: FormField; problem: string | undefined }) {
  const text = words("dashboard-frame").fields;
  if (field.kind !== "passkey") return null;
  const { name, label, making } = field;
  if (making === undefined)
    return <PasskeyAnswer name={name} label={label} problem={problem} asked={CONFIRM_CHALLENGE} />;
  return (
    <>
      <PasskeyAnswer name={name} label={label} problem={problem} making={making} isFirst />
      <p class="problem" data-no-passkey>
        {text.no_passkeys}
      </p>
    </>
  );
}

function Notes({ name, hint, problem }: { name: string; hint: string | undefined; problem: string | undefined }) {
  return (
    <>
      {hint ? (
        <span class="hint" id={`${name}-hint`}>
          {hint}
        </span>
      ) : null}
      {problem ? (
        <p class="problem" id={`${name}-problem`} role="alert" dir="auto">
          {problem}
        </p>
      ) : null}
    </>
  );
}

type Described = Record<string, string | boolean>;

/** What names a control's hint and problem for a screen reader; the first invalid control takes the focus. */
function describe(name: string, hint: string | undefined, problem: string | undefined): Described {
  const ids = [hint ? `${name}-hint` : "", problem ? `${name}-problem` : ""].filter((id) => id !== "");
  return {
    ...(ids.length > 0 ? { "aria-describedby": ids.join(" ") } : {}),
    ...(problem ? { "aria-invalid": "true", autofocus: true } : {}),
  };
}

function Control({ field, value, described }: { field: FormField; value: string; described: Described }) {
  const text = words("dashboard-frame").fields;
  const { name } = field;
  const shared = { id: name, name, ...(field.required ? { required: true } : {}), ...described };
  switch (field.kind) {
    case "select":
      return <Select shared={shared} value={value} options={field.options} empty={field.empty} />;
    case "tristate": {
      const { unset, yes, no } = field.options;
      const options = [
        { value: "yes", label: yes },
        { value: "no", label: no },
      ];
      return <Select shared={shared} value={value} options={options} empty={unset} />;
    }
    case "textarea":
    case "lines":
    case "json":
      return (
        <textarea {...shared} rows={field.kind === "textarea" ? 6 : 3} class={field.kind === "json" ? "code" : ""}>
          {value}
        </textarea>
      );
    case "number": {
      const bounds = { min: field.min, max: field.max, step: field.step ?? 1, placeholder: field.placeholder };
      const list = field.choices && `${name}-choices`;
      const input = <input type="number" inputmode="decimal" {...shared} {...bounds} list={list} value={value} />;
      return field.choices ? (
        <>
          {input}
          <datalist id={list}>
            {field.choices.map((choice) => (
              <option value={choice.value}>{choice.label}</option>
            ))}
          </datalist>
        </>
      ) : (
        input
      );
    }
    case "datetime":
      return (
        <>
          <input type="datetime-local" {...shared} value={value} data-zone={field.zone} />
          <input type="hidden" name={zoneName(name)} value={field.zone} />
          {field.durations ? (
            <span class="actions" data-durations-of={name} data-after={field.durations.after} hidden>
              {field.durations.minutes.map((minutes) => (
                <button type="button" class="second" data-minutes={minutes}>
                  {minutes < 60 ? text.minutes({ minutes }) : `${minutes / 60} h`}
                </button>
              ))}
            </span>
          ) : null}
        </>
      );
    default:
      return <TextInput field={field} shared={shared} value={value} />;
  }
}

function TextInput({ field, shared, value }: { field: FormField; shared: Described; value: string }) {
  const type = { url: "url", email: "email", password: "password", color: "color" }[field.kind as string] ?? "text";
  const quiet: Described = {
    autocomplete: type === "password" ? "new-password" : "off",
    autocapitalize: "none",
    spellcheck: "false",
    ...("placeholder" in field && field.placeholder ? { placeholder: field.placeholder } : {}),
  };
  if (!("suggestions" in field) || !field.suggestions) {
    return <input type={type} dir="auto" {...quiet} {...shared} value={value} />;
  }
  const list = `${field.name}-suggestions`;
  return (
    <>
      <input type={type} dir="auto" {...quiet} {...shared} value={value} list={list} />
      <datalist id={list}>
        {field.suggestions.map((each) => (
          <option value={each} />
        ))}
      </datalist>
    </>
  );
}

interface SelectProps {
  shared: Described;
  value: string;
  options: readonly Option[];
  empty: string | undefined;
}

function Select({ shared, value, options, empty }: SelectProps) {
  const offered = value === "" ? options : withChosen(options, [value]);
  return (
    <select {...shared}>
      {empty === undefined ? null : <option value="">{empty}</option>}
      {offered.map((option) => (
        <option value={option.value} selected={option.value === value} data-within={option.within}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

/** What is stored may be no choice of this person, and is kept until it is taken out. */
function withChosen(options: readonly Option[], chosen: readonly string[]): readonly Option[] {
  const others = chosen.filter((value) => !options.some((option) => option.value === value));
  return [...options, ...others.map((value) => ({ value, label: value }))];
}

function Several({ field, values, problems }: FieldRowProps) {
  if (field.kind !== "several") return null;
  const { name, label, hint, options } = field;
  const chosen = values[name];
  const offered = Array.isArray(chosen) ? withChosen(options, chosen) : options;
  return (
    <fieldset class="field" {...describe(name, hint, problems[name])}>
      <legend>{label}</legend>
      <Notes name={name} hint={hint} problem={problems[name]} />
      <div class="ticks">
        {offered.map((option) => (
          <label class="tick">
            <input
              type="checkbox"
              name={name}
              value={option.value}
              checked={Array.isArray(chosen) && chosen.includes(option.value)}
            />{" "}
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function textOf(value: FormValues[string] | undefined): string {
  return typeof value === "string" ? value : "";
}
