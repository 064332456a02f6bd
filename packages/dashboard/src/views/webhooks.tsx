import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ViewProps } from '../app.tsx';
import { callApi } from '../api.ts';
import { formatInstant } from '../format.ts';
import { List } from '../list.tsx';
import { toHref } from '../router.ts';
import type { StoreProps } from '../state.ts';
import type { Column } from '../table.tsx';
import type { Delivery } from '../types.ts';
import {
  Action,
  Code,
  CopyButton,
  Detail,
  type DetailViewProps,
  Facts,
  Field,
  Form,
  Panel,
  Status,
  useApi,
} from '../ui.tsx';
import { formatAttempt, formatResult } from './delivery.tsx';
import { SignatureChecker } from './signature.tsx';

const columns: readonly Column<Delivery>[] = [
  { title: 'Event', width: 140, grow: 1, render: ({ event }) => event },
  { title: 'State', width: 114, render: ({ state }) => <Status value={state} /> },
  {
    title: 'Last answer',
    width: 140,
    grow: 1,
    render: ({ attempts }) => attempts.slice(-1).map(formatResult),
  },
  {
    title: 'Time',
    width: 76,
    render: ({ attempts }) => attempts.slice(-1).map(({ at }) => formatInstant(at).slice(11)),
  },
  { title: 'Tries', width: 44, isNumber: true, render: ({ attempts }) => attempts.length },
  {
    title: 'Next attempt',
    width: 160,
    render: ({ next_at }) => next_at !== null && formatInstant(next_at),
  },
  { title: 'Payment', width: 240, grow: 1, render: ({ payment_id }) => payment_id },
];

/** The endpoint of an account and mode, its deliveries, and a check of signatures. */
export function WebhooksView({ store, id }: ViewProps): JSX.Element {
  const { account, mode } = store.scope.value;
  return (
    <List
      view="webhooks"
      label="Deliveries"
      columns={columns}
      rows={store.deliveries.value}
      placeholder="event, state or payment"
      empty="No delivery yet. Set an endpoint, then create a payment."
      id={id}
      detail={(delivery) => <DeliveryView store={store} id={delivery} />}
      before={<Endpoint store={store} key={`${account} ${mode}`} />}
      after={<SignatureChecker store={store} />}
    />
  );
}

/** The form that sets and removes the endpoint. A new secret can be copied once. */
function Endpoint({ store }: StoreProps): JSX.Element {
  const scope = store.scope.value;
  const { body } = useApi<{ readonly endpoint: { readonly url: string } | null }>(
    store,
    '/webhooks/endpoint',
    scope,
  );
  const current = body?.endpoint?.url;
  const url = useSignal('');
  const secret = useSignal('');
  // Only a known endpoint replaces the text: without one, it would clear what was typed before the first load.
  useEffect(() => {
    if (current !== undefined) url.value = current;
  }, [current]);
  const save = async (): Promise<void> => {
    const request = { body: { ...scope, url: url.value } };
    const issued = await callApi<{ readonly secret: string }>('PUT', '/webhooks/endpoint', request);
    secret.value = issued.secret;
  };
  const remove = async (): Promise<void> => {
    await callApi('DELETE', '/webhooks/endpoint', { query: scope });
    url.value = '';
    secret.value = '';
  };
  return (
    <div class="panel">
      <Form store={store} button="Set" run={save} done="The endpoint is set.">
        <Field
          label="Endpoint"
          type="url"
          required
          placeholder="http://localhost:3000/webhooks"
          value={url}
        />
      </Form>
      {current !== undefined && (
        <>
          <p class="actions">
            <Action store={store} run={remove} done="The endpoint is removed.">
              Remove
            </Action>
            {secret.value !== '' && (
              <CopyButton store={store} text={secret.value}>
                Copy the new signing secret
              </CopyButton>
            )}
          </p>
        </>
      )}
    </div>
  );
}

type DeliveryDetail = Delivery & { readonly signature: string | null };

function DeliveryView({ store, id }: DetailViewProps): JSX.Element {
  const path = `/webhooks/deliveries/${encodeURIComponent(id)}`;
  return (
    <Detail<DeliveryDetail>
      store={store}
      view="webhooks"
      label={`Delivery ${id}`}
      path={path}
      title={({ event }) => event}
      badge={({ state }) => <Status value={state} />}
    >
      {({ payment_id, fault, attempts, body, signature }) => (
        <>
          <p class="actions">
            <Action store={store} run={() => callApi('POST', `${path}/redeliver`)} done="Sent again.">
              Send again
            </Action>
          </p>
          <Facts
            facts={{
              Payment: <a href={toHref('payments', payment_id)}>{payment_id}</a>,
              Fault: fault ?? 'none',
              Id: id,
            }}
          />
          <Panel title="Attempts">
            <ol class="plain">
              {attempts.map((attempt, index) => (
                <li key={index}>
                  {formatAttempt(attempt)} <span class="muted">{attempt.url}</span>
                </li>
              ))}
            </ol>
            {attempts.length === 0 && <p class="muted">No attempt yet.</p>}
          </Panel>
          <Panel title="Message">
            <Code label="Body" text={body} />
            {signature !== null && (
              <Facts facts={{ 'Signature with the current secret': <code>{signature}</code> }} />
            )}
          </Panel>
        </>
      )}
    </Detail>
  );
}
