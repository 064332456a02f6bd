import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ViewProps } from '../app.tsx';
import { formatClock } from '../format.ts';
import { toHref } from '../router.ts';
import { type Column, Table } from '../table.tsx';
import type { RequestSummary } from '../types.ts';
import { Badge, CopyButton, Empty, Filters, HttpStatus } from '../ui.tsx';
import { RequestDetail } from './request.tsx';

const columns: readonly Column<RequestSummary>[] = [
  { title: 'Time', width: '7.5rem', render: ({ at }) => <time dateTime={at}>{formatClock(at)}</time> },
  { title: 'Method', width: '4.5rem', render: ({ method }) => <b>{method}</b> },
  {
    title: 'Path',
    width: 'minmax(10rem, 1fr)',
    render: ({ path, query }) => `${path}${query && `?${query}`}`,
  },
  { title: 'Status', width: '8rem', render: ({ status }) => <HttpStatus value={status} /> },
  { title: 'Mode', width: '3.5rem', render: ({ mode }) => mode ?? '–' },
  {
    title: 'Fault',
    width: '9rem',
    render: ({ fault }) => (fault === null ? '' : <Badge tone="warn">{fault}</Badge>),
  },
];

/** The logged requests of all accounts, and one of them in detail. */
export function RequestsView({ store, id }: ViewProps): JSX.Element {
  const text = useSignal('');
  const kind = useSignal('all');
  const rows = useComputed(() =>
    store.requests.value.filter((request) => isMatch(request, text.value, kind.value)),
  );
  if (store.requests.value.length === 0 && id === undefined) return <NoRequests store={store} />;
  return (
    <div class={id === undefined ? 'split' : 'split open'}>
      <div class="list">
        <Filters text={text} placeholder="path, id, status or fault" count={rows.value.length}>
          <label>
            Show
            <select value={kind} onChange={(event) => (kind.value = event.currentTarget.value)}>
              <option value="all">all requests</option>
              <option value="creates">creates of payments</option>
              <option value="errors">errors</option>
              <option value="faults">injected faults</option>
            </select>
          </label>
        </Filters>
        <Table
          label="Requests"
          columns={columns}
          rows={rows.value}
          selected={id}
          href={(request) => toHref('requests', request.id)}
        />
      </div>
      {id !== undefined && <RequestDetail store={store} id={id} />}
    </div>
  );
}

function isMatch(request: RequestSummary, text: string, kind: string): boolean {
  const { status, fault, operation } = request;
  if (kind === 'creates' && operation !== 'createPayment') return false;
  if (kind === 'errors' && typeof status === 'number' && status < 400) return false;
  if (kind === 'faults' && fault === null) return false;
  if (text.trim() === '') return true;
  const searched = `${request.id} ${request.method} ${request.path}?${request.query} ${status} ${fault} ${request.payment_id}`;
  return searched.toLowerCase().includes(text.trim().toLowerCase());
}

function NoRequests({ store }: Pick<ViewProps, 'store'>): JSX.Element {
  if (store.report !== undefined) return <Empty>The test sent no request.</Empty>;
  const command = `curl ${store.origin}/api/v1/payments \\
  -H "Authorization: Bearer $SERVICE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"from_currency":"USD","to_currency":"EUR","amount":100,"beneficiary_name":"Acme Supplies Ltd"}'`;
  return (
    <Empty>
      <h2>No request yet</h2>
      <p>
        Send one: copy the test key into SERVICE_API_KEY with the button above, then paste this into a shell.
      </p>
      <pre tabIndex={0} aria-label="Example request">
        {command}
      </pre>
      <CopyButton store={store} text={command}>
        Copy command
      </CopyButton>
    </Empty>
  );
}
