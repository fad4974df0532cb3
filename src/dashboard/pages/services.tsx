import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { EmptyState, PostButton, Table } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { GROUP_FIELDS } from "./form.ts";
import { FormCard, type Forms, type Page } from "./views.tsx";

export interface Service {
  id: string;
  name: string;
  status: MonitorStatus;
  group_id: string | null;
}

export function Services(props: Forms & { page: Page; services: readonly Service[]; groups: readonly Group[] }) {
  const { page, services, groups, values, problems } = props;
  const path = `/app/pages/${page.id}`;
  return (
    <>
      <section aria-labelledby="services">
        <h2 id="services">Services</h2>
        {services.length === 0 ? (
          <EmptyState
            title="No services yet"
            action={
              <a class="button" href={`/app/monitors/new?status_page_id=${page.id}`}>
                Add monitor
              </a>
            }
          >
            Monitors of this page are its services.
          </EmptyState>
        ) : (
          <Table caption="Services in their order" head={["Service", "Status", "Group", "Order"]}>
            {services.map((service, n) => (
              <tr>
                <th scope="row">
                  <a href={`/app/monitors/${service.id}`} dir="auto">
                    {service.name}
                  </a>
                </th>
                <td>
                  <StatusWord status={service.status} />
                </td>
                <td>
                  <GroupChoice path={path} service={service} groups={groups} />
                </td>
                <td>
                  <Move action={`${path}/services/order`} id={service.id} name={service.name} isFirst={n === 0} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </section>
      <section aria-labelledby="groups">
        <h2 id="groups">Groups</h2>
        {groups.length === 0 ? null : (
          <ul class="rows card">
            {groups.map((group, n) => (
              <li class="row">
                <span dir="auto">{group.name}</span>
                <span class="actions">
                  <Move action={`${path}/groups/order`} id={group.id} name={group.name} isFirst={n === 0} />
                  <PostButton action={`${path}/groups/delete`} label="Remove" fields={{ id: group.id }} kind="danger" />
                </span>
              </li>
            ))}
          </ul>
        )}
        <FormCard
          title="Add a group"
          action={`${path}/groups`}
          fields={GROUP_FIELDS}
          values={values}
          problems={problems}
          submit="Add group"
        />
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

/** One step up: the keyboard's way to reorder, and that of whoever has no script. */
function Move({ action, id, name, isFirst }: { action: string; id: string; name: string; isFirst: boolean }) {
  if (isFirst) return null;
  return (
    <form method="post" action={action} class="inline">
      <input type="hidden" name="id" value={id} />
      <button type="submit" class="second" aria-label={`Move ${name} up`}>
        Up
      </button>
    </form>
  );
}
