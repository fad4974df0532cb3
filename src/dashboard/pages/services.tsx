import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { DragForm } from "../components/drag-form.tsx";
import { EmptyState, Table } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { GROUP_FIELDS } from "./form.ts";
import { FormCard, type Forms, type Page } from "./views.tsx";

export interface Service {
  id: string;
  name: string;
  status: MonitorStatus;
  group_id: string | null;
}

export function Services(
  props: Forms & { page: Page; services: readonly Service[]; groups: readonly Group[]; may_change: boolean },
) {
  const { page, services, groups, values, problems, may_change } = props;
  const path = `/app/pages/${page.id}`;
  return (
    <>
      <section aria-labelledby="services">
        <h2 id="services">Services</h2>
        {services.length === 0 ? (
          <EmptyState
            title="No services yet"
            action={
              may_change ? (
                <a class="button" href={`/app/monitors/new?status_page_id=${page.id}`}>
                  Add monitor
                </a>
              ) : undefined
            }
          >
            Monitors of this page are its services.
          </EmptyState>
        ) : (
          <div data-drag-area>
            {may_change ? <DragForm action={`${path}/services/order`} /> : null}
            <Table caption="Services in their order" head={["Service", "Status", "Group", "Order"]} isStacked>
              {services.map((service, n) => (
                <tr data-drop={service.id} data-drag={may_change ? service.id : undefined}>
                  <th scope="row">
                    <a href={`/app/monitors/${service.id}`} dir="auto">
                      {service.name}
                    </a>
                  </th>
                  <td>
                    <StatusWord status={service.status} />
                  </td>
                  <td>
                    {may_change ? (
                      <GroupChoice path={path} service={service} groups={groups} />
                    ) : (
                      (groups.find(({ id }) => id === service.group_id)?.name ?? "None")
                    )}
                  </td>
                  <td>
                    {may_change ? (
                      <Move
                        action={`${path}/services/order`}
                        id={service.id}
                        name={service.name}
                        isFirst={n === 0}
                        isLast={n === services.length - 1}
                      />
                    ) : null}
                  </td>
                </tr>
              ))}
            </Table>
          </div>
        )}
      </section>
      <section aria-labelledby="groups">
        <h2 id="groups">Groups</h2>
        {groups.length === 0 ? null : (
          <div data-drag-area>
            {may_change ? <DragForm action={`${path}/groups/order`} /> : null}
            <ul class="rows card">
              {groups.map((group, n) => (
                <li class="row" data-drop={group.id} data-drag={may_change ? group.id : undefined}>
                  <span dir="auto">{group.name}</span>
                  {may_change ? (
                    <span class="actions">
                      <Move
                        action={`${path}/groups/order`}
                        id={group.id}
                        name={group.name}
                        isFirst={n === 0}
                        isLast={n === groups.length - 1}
                      />
                      <a class="button danger" href={`${path}/groups/${group.id}/delete`}>
                        Delete
                      </a>
                    </span>
                  ) : null}
                </li>
              ))}
            </ul>
          </div>
        )}
        {may_change ? (
          <FormCard
            title="Add a group"
            action={`${path}/groups`}
            fields={GROUP_FIELDS}
            values={values}
            problems={problems}
            submit="Add group"
          />
        ) : null}
      </section>
    </>
  );
}

export interface Group {
  id: string;
  name: string;
}

function GroupChoice({ path, service, groups }: { path: string; service: Service; groups: readonly Group[] }) {
  if (groups.length === 0) return <span class="quiet">None</span>;
  return (
    <form method="post" action={`${path}/services/group`} class="inline">
      <input type="hidden" name="id" value={service.id} />
      <select name="group_id" aria-label={`Group of ${service.name}`} data-submits>
        <option value="">None</option>
        {groups.map(({ id, name }) => (
          <option value={id} selected={id === service.group_id}>
            {name}
          </option>
        ))}
      </select>{" "}
      <button type="submit" class="second">
        Move
      </button>
    </form>
  );
}

interface MoveProps {
  action: string;
  id: string;
  name: string;
  isFirst: boolean;
  isLast: boolean;
}

/** One step: the keyboard's way to reorder, and that of a browser without scripts; a mouse drags. */
function Move({ action, id, name, isFirst, isLast }: MoveProps) {
  return (
    <form method="post" action={action} class="inline">
      <input type="hidden" name="id" value={id} />
      {isFirst ? null : (
        <button type="submit" class="second" name="direction" value="up" aria-label={`Move ${name} up`}>
          Up
        </button>
      )}{" "}
      {isLast ? null : (
        <button type="submit" class="second" name="direction" value="down" aria-label={`Move ${name} down`}>
          Down
        </button>
      )}
    </form>
  );
}
