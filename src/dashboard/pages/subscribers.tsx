import type { z } from "zod";
import type { Subscriber } from "../../contract/subscriber.ts";
import { ACTIONS, EmptyState, ListPages, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import type { FormValues, Problems } from "../form-fields.ts";
import { words } from "../words.ts";
import { inviteFields } from "./form.ts";
import { FormCard, type Page } from "./views.tsx";

interface SubscribersProps {
  page: Page;
  subscribers: readonly z.output<typeof Subscriber>[];
  total: number;
  limit: number;
  offset: number;
  now: number;
  may_change: boolean;
  /** Of the form that invites. */
  values: FormValues;
  problems: Problems;
}

export function Subscribers(props: SubscribersProps) {
  const text = words("dashboard-pages").subscribers;
  const { page, total, may_change, values, problems } = props;
  return (
    <>
      {total === 0 ? <EmptyState title={text.empty.title}>{text.empty.hint}</EmptyState> : <List {...props} />}
      {may_change ? (
        <>
          <FormCard
            title={text.add}
            fields={inviteFields()}
            values={values}
            problems={problems}
            submit={text.ask}
            action={`/app/pages/${page.id}/subscribers/invite`}
          />
          <p>
            <a class="button second" href={`/api/uptime/v1/status-pages/${page.id}/subscribers/export`} download>
              {text.export}
            </a>{" "}
            <span class="quiet">{text.export_hint}</span>
          </p>
        </>
      ) : null}
    </>
  );
}

function List({ page, subscribers, total, limit, offset, now, may_change }: SubscribersProps) {
  const text = words("dashboard-pages").subscribers;
  const path = `/app/pages/${page.id}/subscribers`;
  return (
    <>
      <Table caption={text.title} head={[text.address, text.channel, text.state, ACTIONS]} isStacked>
        {subscribers.map((subscriber) => (
          <tr>
            <th scope="row" dir="auto">
              {subscriber.endpoint_masked}
            </th>
            <td>{subscriber.channel}</td>
            <td>
              {subscriber.unsubscribed_at !== null
                ? text.unsubscribed
                : subscriber.confirmed_at === null
                  ? text.unconfirmed
                  : text.since.parts({ time: <Time at={Date.parse(subscriber.confirmed_at)} now={now} /> })}
            </td>
            <td>
              {may_change ? (
                <div class="actions">
                  <a class="button second" href={`${path}/${subscriber.id}/delete`}>
                    {text.remove}
                  </a>
                </div>
              ) : null}
            </td>
          </tr>
        ))}
      </Table>
      <ListPages total={total} limit={limit} offset={offset} href={(from) => `${path}?offset=${from}`} />
    </>
  );
}
