import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ViewProps } from '../app.tsx';
import { callApi } from '../api.ts';
import { formatTime } from '../format.ts';
import { toHref } from '../router.ts';
import type { Store } from '../state.ts';
import { type Column, Table } from '../table.tsx';
import type { Delivery, DeliverySummary } from '../types.ts';
import { Code, CopyButton, Empty, Facts, Panel, Status, useApi } from '../ui.tsx';
import { formatAttempt } from './delivery.tsx';
import { SignatureChecker } from './signature.tsx';
import { TestEvent } from './test-event.tsx';

const columns: readonly Column<DeliverySummary>[] = [
  { title: 'Event', width: 'minmax(10rem, 1fr)', render: ({ event }) => event },
  { title: 'State', width: '8rem', render: ({ state }) => <Status value={state} /> },
  { title: 'Attempts', width: '5.5rem', render: ({ attempts }) => attempts },
  {
    title: 'Next attempt',
    width: '11rem',
    render: ({ next_at }) => (next_at === null ? '' : formatTime(next_at)),
  },
  { title: 'Payment', width: 'minmax(10rem, 1fr)', render: ({ payment_id }) => payment_id },
];

/** The endpoint of an account and mode, its deliveries, and a check of signatures. */
export function WebhooksView({ store, id }: ViewProps): JSX.Element {
  const { account, mode } = store.scope.value;
  return (
    <div class={id === undefined ? 'split' : 'split open'}>
      <div class="list">
        <Endpoint store={store} key={`${account} ${mode}`} />
        {store.deliveries.value.length === 0 ? (
          <Empty>
            <h2>No delivery yet</h2>
            {store.report === undefined && (
              <p>
                Set an endpoint, then send a test event or create a payment. Each change of its status sends
                an event.
              </p>
            )}
          </Empty>
        ) : (
          <Table
            label="Deliveries"
            columns={columns}
            rows={store.deliveries.value}
            selected={id}
            href={(delivery) => toHref('webhooks', delivery.id)}
          />
        )}
        {store.report === undefined && <SignatureChecker />}
      </div>
      {id !== undefined && <DeliveryView store={store} id={id} />}
    </div>
  );
}

/** The form that sets and removes the endpoint, and the one that tries it. A new secret can be copied once. */
function Endpoint({ store }: { readonly store: Store }): JSX.Element {
  const scope = store.scope.value;
  const { body } = useApi<{ readonly endpoint: { readonly url: string } | null }>(
    store,
    '/webhooks/endpoint',
    scope,
  );
  const url = useSignal<string | undefined>(undefined);
  const secret = useSignal<string | undefined>(undefined);
  const current = body?.endpoint?.url;
  const save = async (): Promise<void> => {
    const fields = { ...scope, url: url.value ?? current ?? '' };
    const issued = await callApi<{ readonly secret: string }>('PUT', '/webhooks/endpoint', { body: fields });
    secret.value = issued.secret;
    store.version.value += 1;
  };
  const remove = async (): Promise<void> => {
    await callApi('DELETE', '/webhooks/endpoint', { query: scope });
    secret.value = url.value = undefined;
    store.version.value += 1;
  };
  if (store.report !== undefined) return <Facts facts={[['Endpoint', current ?? 'none']]} />;
  const submit = (event: Event): void => {
    event.preventDefault();
    void store.act(save, 'The endpoint is set.');
  };
  return (
    <>
      <form class="filters" onSubmit={submit}>
        <label class="grow">
          Endpoint
          <input
            type="url"
            required
            placeholder="http://localhost:3000/webhooks"
            value={url.value ?? current ?? ''}
            onInput={(event) => (url.value = event.currentTarget.value)}
          />
        </label>
        <button class="primary">Set</button>
        {current !== undefined && (
          <button type="button" onClick={() => void store.act(remove, 'The endpoint is removed.')}>
            Remove
          </button>
        )}
        {secret.value !== undefined && (
          <CopyButton store={store} text={secret.value}>
            Copy the new signing secret
          </CopyButton>
        )}
      </form>
      {current !== undefined && <TestEvent store={store} />}
    </>
  );
}

type DeliveryDetail = Delivery & { readonly signature: string | null };

function DeliveryView({ store, id }: { readonly store: Store; readonly id: string }): JSX.Element {
  const path = `/webhooks/deliveries/${encodeURIComponent(id)}`;
  const { body: delivery, error } = useApi<DeliveryDetail>(store, path);
  if (error !== undefined) return <Empty>{error}</Empty>;
  if (delivery === undefined) return <Empty>Loading…</Empty>;
  const resend = (): void => void store.act(() => callApi('POST', `${path}/redeliver`), 'Sent again.');
  return (
    <article class="detail" aria-label={`Delivery ${id}`}>
      <div class="detail-head">
        <h2>{delivery.event}</h2>
        <Status value={delivery.state} />
        <a class="close" href={toHref('webhooks')}>
          Close
        </a>
      </div>
      <p class="actions">{store.report === undefined && <button onClick={resend}>Send again</button>}</p>
      <Facts
        facts={[
          ['Id', delivery.id],
          ['Payment', <a href={toHref('payments', delivery.payment_id)}>{delivery.payment_id}</a>],
          ['Fault', delivery.fault ?? 'none'],
        ]}
      />
      <Panel title="Attempts">
        <ol class="plain">
          {delivery.attempts.map((attempt, index) => (
            <li key={index}>
              {formatAttempt(attempt)} <span class="muted">{attempt.url}</span>
            </li>
          ))}
        </ol>
        {delivery.attempts.length === 0 && <p class="muted">No attempt yet.</p>}
      </Panel>
      <Panel title="Message">
        <Code label="Body" text={delivery.body} />
        {delivery.signature !== null && (
          <Facts facts={[['Signature with the current secret', <code>{delivery.signature}</code>]]} />
        )}
      </Panel>
    </article>
  );
}
