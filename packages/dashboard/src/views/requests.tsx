import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ViewProps } from '../app.tsx';
import { formatClock } from '../format.ts';
import { List } from '../list.tsx';
import type { StoreProps } from '../state.ts';
import type { Column } from '../table.tsx';
import type { RequestRow } from '../load.ts';
import { Badge, Choice, Code, CopyButton, Status } from '../ui.tsx';
import { RequestDetail } from './request.tsx';

const columns: readonly Column<RequestRow>[] = [
  {
    title: 'Request',
    width: 180,
    grow: 1,
    render: ({ method, path, query }) => (
      <>
        <b>{method}</b> {path + (query && `?${query}`)}
      </>
    ),
  },
  { title: 'Status', width: 124, render: ({ status }) => <Status value={status} /> },
  { title: 'Time', width: 108, render: ({ at }) => <time dateTime={at}>{formatClock(at)}</time> },
  {
    title: 'Reason',
    width: 160,
    grow: 1,
    render: ({ fault, reason }) => (fault === null ? reason : <Badge tone="warn">{fault}</Badge>),
  },
  { title: 'Mode', width: 46, render: ({ mode }) => mode ?? '–' },
];

/** The kinds of requests that a reader can select. */
const kinds: Readonly<Record<string, (request: RequestRow) => boolean>> = {
  'all requests': () => true,
  'creates of payments': ({ operation }) => operation === 'createPayment',
  errors: ({ status }) => typeof status !== 'number' || status >= 400,
  'injected faults': ({ fault }) => fault !== null,
};

/** The logged requests of all accounts, and one of them in detail. */
export function RequestsView({ store, id }: ViewProps): JSX.Element {
  const kind = useSignal('all requests');
  return (
    <List
      view="requests"
      label="Requests"
      columns={columns}
      rows={store.requests.value}
      placeholder="path, id, status or reason"
      isShown={(request) => kinds[kind.value]?.(request) === true}
      filters={
        <Choice label="Show" value={kind}>
          {Object.keys(kinds).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </Choice>
      }
      empty={<FirstRequest store={store} />}
      id={id}
      detail={(request) => <RequestDetail store={store} id={request} />}
    />
  );
}

function FirstRequest({ store }: StoreProps): JSX.Element {
  const command = `curl ${store.origin}/api/v1/payments \\
  -H "Authorization: Bearer $SERVICE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"from_currency":"USD","to_currency":"EUR","amount":100,"beneficiary_name":"Acme Supplies Ltd"}'`;
  return (
    <>
      <h2>No request yet</h2>
      <p>Copy the test key into SERVICE_API_KEY with the button above, then paste this into a shell.</p>
      <Code label="Example request" text={command} />
      <CopyButton store={store} text={command}>
        Copy command
      </CopyButton>
    </>
  );
}
