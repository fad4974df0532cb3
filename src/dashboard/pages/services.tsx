import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { DragForm } from "../components/drag-form.tsx";
import { Menu } from "../components/menu.tsx";
import { EmptyState, ListPages, Table } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { addressWith, partOf } from "../lists.ts";
import { MADE_FROM } from "../merge.ts";
import { words } from "../words.ts";
import { newGroupFields } from "./form.ts";
import { FormCard, type Forms, type Page } from "./views.tsx";

export interface Service {
  id: string;
  name: string;
  status: MonitorStatus;
  group_id: string | null;
}

interface ServicesProps extends Forms {
  page: Page;
  services: readonly Service[];
  groups: readonly Group[];
  /** Where the shown part of each list begins. */
  at: { offset: number; groups: number };
  may_change: boolean;
}

export function Services(props: ServicesProps) {
  const { services: text, shared } = words("dashboard-pages");
  const { page, services, groups, at, values, problems, may_change } = props;
  const path = `/app/pages/${page.id}`;
  const [part, groupPart] = [partOf(services, at.offset), partOf(groups, at.groups)];
  const href = (where: Partial<typeof at>) => addressWith(`${path}/services`, { ...at, ...where });
  return (
    <>
      <section aria-labelledby="services">
        <h2 id="services">{text.title}</h2>
        {services.length === 0 ? (
          <EmptyState
            title={text.empty.title}
            action={
              may_change ? (
                <span class="actions">
                  <a class="button" href={`${path}/services/add`}>
                    {text.add_existing}
                  </a>
                  <a class="button second" href={`/app/monitors/new?status_page_id=${page.id}`}>
                    {text.add_monitor}
                  </a>
                </span>
              ) : undefined
            }
          >
            {text.empty.hint}
          </EmptyState>
        ) : (
          <div data-drag-area>
            {may_change ? <DragForm action={`${path}/services/order`} at={at} /> : null}
            <Table caption={text.caption} head={[text.service, text.status, text.in_group, text.order]} isStacked>
              {part.shown.map((service, n) => (
                <tr data-drop={service.id} data-drag={may_change ? service.id : undefined}>
                  <th scope="row">
                    <a href={`/app/monitors/${service.id}`} dir="auto">
                      {service.name}
                    </a>
                  </th>
                  <td id={`status-${service.id}`} data-live>
                    <StatusWord status={service.status} />
                  </td>
                  <td>
                    {may_change ? (
                      <GroupChoice path={path} service={service} groups={groups} at={at} />
                    ) : (
                      (groups.find(({ id }) => id === service.group_id)?.name ?? text.no_group)
                    )}
                  </td>
                  <td>
                    {may_change ? (
                      <Move
                        action={`${path}/services/order`}
                        id={service.id}
                        name={service.name}
                        at={at}
                        isFirst={at.offset + n === 0}
                        isLast={at.offset + n === services.length - 1}
                      />
                    ) : null}
                  </td>
                </tr>
              ))}
            </Table>
            <ListPages {...part.place} href={(offset) => href({ offset })} />
            {may_change ? (
              <p>
                <a href={`${path}/services/add`}>{text.add_existing}</a>
              </p>
            ) : null}
          </div>
        )}
      </section>
      <section aria-labelledby="groups">
        <h2 id="groups">{text.groups}</h2>
        {groups.length === 0 ? null : (
          <div data-drag-area>
            {may_change ? <DragForm action={`${path}/groups/order`} at={at} /> : null}
            <ul class="rows">
              {groupPart.shown.map((group, n) => (
                <li class="row" data-drop={group.id} data-drag={may_change ? group.id : undefined}>
                  <span dir="auto">{group.name}</span>
                  {may_change ? (
                    <span class="actions">
                      <Move
                        action={`${path}/groups/order`}
                        id={group.id}
                        name={group.name}
                        at={at}
                        isFirst={at.groups + n === 0}
                        isLast={at.groups + n === groups.length - 1}
                      />
                      <a
                        class="button second"
                        href={`${path}/groups/${group.id}`}
                        aria-label={text.group.title({ name: group.name })}
                      >
                        {shared.rename}
                      </a>
                      <Menu label={text.more({ name: group.name })} id={`menu-${group.id}`}>
                        <a class="danger" href={`${path}/groups/${group.id}/delete`}>
                          {shared.delete}
                        </a>
                      </Menu>
                    </span>
                  ) : null}
                </li>
              ))}
            </ul>
            <ListPages {...groupPart.place} href={(from) => href({ groups: from })} />
          </div>
        )}
        {may_change ? (
          <FormCard
            title={text.add_group}
            action={`${path}/groups`}
            fields={newGroupFields()}
            values={values}
            problems={problems}
            submit={text.add_group_submit}
          />
        ) : null}
      </section>
      {may_change ? (
        <p class="quiet">{text.by_key.parts({ link: <a href={`${path}/ping-key`}>{text.ping_key}</a> })}</p>
      ) : null}
    </>
  );
}

export interface Group {
  id: string;
  name: string;
}

interface GroupChoiceProps {
  path: string;
  service: Service;
  groups: readonly Group[];
  at: ServicesProps["at"];
}

function GroupChoice({ path, service, groups, at }: GroupChoiceProps) {
  const text = words("dashboard-pages").services;
  if (groups.length === 0) return <span class="quiet">{text.no_group}</span>;
  return (
    <form method="post" action={`${path}/services/group`} class="inline">
      <input type="hidden" name="id" value={service.id} />
      <input type="hidden" name={MADE_FROM} value={service.group_id ?? ""} />
      <Place at={at} />
      <select name="group_id" aria-label={text.group_of({ name: service.name })}>
        <option value="">{text.no_group}</option>
        {groups.map(({ id, name }) => (
          <option value={id} selected={id === service.group_id}>
            {name}
          </option>
        ))}
      </select>{" "}
      <button type="submit" class="second">
        {text.move}
      </button>
    </form>
  );
}

/** After the move the same part of the lists is shown. */
function Place({ at }: Pick<ServicesProps, "at">) {
  return (
    <>
      {Object.entries(at).map(([name, offset]) =>
        offset === 0 ? null : <input type="hidden" name={name} value={offset} />,
      )}
    </>
  );
}

interface MoveProps {
  at: ServicesProps["at"];
  action: string;
  id: string;
  name: string;
  isFirst: boolean;
  isLast: boolean;
}

/** One step: the keyboard's way to reorder, and that of a browser without scripts; a mouse drags. */
function Move({ at, action, id, name, isFirst, isLast }: MoveProps) {
  const text = words("dashboard-pages").services;
  return (
    <form method="post" action={action} class="inline">
      <input type="hidden" name="id" value={id} />
      <Place at={at} />
      {isFirst ? null : (
        <button type="submit" class="second" name="direction" value="up" aria-label={text.move_up({ name })}>
          <LineIcon of="arrow-up" />
        </button>
      )}{" "}
      {isLast ? null : (
        <button type="submit" class="second" name="direction" value="down" aria-label={text.move_down({ name })}>
          <LineIcon of="arrow-down" />
        </button>
      )}
    </form>
  );
}
