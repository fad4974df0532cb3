import { FieldRow } from "../components/fields.tsx";
import { FIRST_FIELDS, FIRST_TYPE, typesWith } from "./form.ts";
import { TestButton } from "./form-views.tsx";

/** The first monitor, where there is none yet: three fields, tried before anything is saved. */
export function FirstMonitor() {
  const values = { type: FIRST_TYPE };
  return (
    <section class="card" aria-labelledby="first-monitor">
      <h2 id="first-monitor">No monitors yet</h2>
      <p class="quiet">
        A monitor checks a website, a server, a certificate or a scheduled job, and reports when it fails. Create the
        first one here; everything else has a default.
      </p>
      <form method="post" action="/app/monitors/new" data-typed novalidate>
        <div class="fields trio">
          {FIRST_FIELDS.map((field) => {
            const row = <FieldRow field={{ ...field, required: false }} values={values} problems={{}} />;
            const types = typesWith(field.name);
            return types ? (
              <fieldset class="bare" data-types={types.join(" ")}>
                {row}
              </fieldset>
            ) : (
              row
            );
          })}
        </div>
        <div class="actions">
          <button type="submit">Save</button>
          <TestButton type={FIRST_TYPE} />
          <a class="button second" href="/app/monitors/new">
            More settings
          </a>
        </div>
      </form>
    </section>
  );
}
