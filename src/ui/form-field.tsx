import type { Child } from "hono/jsx";

interface FieldProps {
  name: string;
  label: string;
  hint?: string;
  problem?: string | null | undefined;
  /** Attributes of the input itself. */
  input?: Record<string, string | number | boolean | undefined>;
  /** In place of an input: the control, which is to carry `name` as its id. */
  children?: Child;
}

/** Label, hint and problem stand before the input, where an on-screen keyboard does not hide them. */
export function Field({ name, label, hint, problem, input, children }: FieldProps) {
  const described = [hint ? `${name}-hint` : "", problem ? `${name}-problem` : ""].filter((id) => id !== "").join(" ");
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint ? (
        <span class="quiet" id={`${name}-hint`}>
          {hint}
        </span>
      ) : null}
      {problem ? (
        <p class="problem" id={`${name}-problem`} role="alert">
          {problem}
        </p>
      ) : null}
      {children ?? (
        <input
          id={name}
          name={name}
          {...input}
          {...(described ? { "aria-describedby": described } : {})}
          {...(problem ? { "aria-invalid": "true", autofocus: true } : {})}
        />
      )}
    </div>
  );
}
