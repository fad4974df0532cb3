import type { z } from "zod";
import type { Subscriber } from "../../contract/subscriber.ts";
import { ACTIONS, EmptyState, ListPages, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import type { FormValues, Problems } from "../form-fields.ts";
import { INVITE_FIELDS } from "./form.ts";
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
  const { page, total, may_change, values, problems } = props;
  return (
    <>
      {total === 0 ? (
        <EmptyState title="No subscribers yet">
          Readers subscribe on the page itself, by mail or to a webhook, and confirm it.
        </EmptyState>
      ) : (
        <List {...props} />
      )}
      {may_change ? (
        <>
          <FormCard
            title="Add or import"
            fields={INVITE_FIELDS}
            values={values}
            problems={problems}
            submit="Ask to confirm"
            action={`/app/pages/${page.id}/subscribers/invite`}
          />
          <p>
            <a class="button second" href={`/api/uptime/v1/status-pages/${page.id}/subscribers/export`} download>
              Export as CSV
            </a>{" "}
            <span class="quiet">with whole addresses; the audit log keeps who did it</span>
          </p>
        </>
      ) : null}
    </>
  );
}

function List({ page, subscribers, total, limit, offset, now, may_change }: SubscribersProps) {
  const path = `/app/pages/${page.id}/subscribers`;
  return (
    <>
      <Table caption="Subscribers" head={["Address", "Channel", "State", ACTIONS]} isStacked>
        {subscribers.map((subscriber) => (
          <tr>
            <th scope="row" dir="auto">
              {subscriber.endpoint_masked}
            </th>
            <td>{subscriber.channel}</td>
            <td>
              {subscriber.unsubscribed_at !== null ? (
                "Unsubscribed"
              ) : subscriber.confirmed_at === null ? (
                "Not confirmed"
              ) : (
                <>
                  Since <Time at={Date.parse(subscriber.confirmed_at)} now={now} />
                </>
              )}
            </td>
            <td>
              {may_change ? (
                <div class="actions">
                  <a class="button second" href={`${path}/${subscriber.id}/delete`}>
                    Remove
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
