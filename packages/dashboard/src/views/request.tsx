import type { JSX } from 'preact';
import { formatTime } from '../format.ts';
import { toHref } from '../router.ts';
import { toCurl, toSdkCode } from '../samples.ts';
import type { RequestView } from '../types.ts';
import { Badge, Code, CopyButton, Detail, type DetailViewProps, Facts, HttpStatus, Panel } from '../ui.tsx';
import { Deliveries } from './delivery.tsx';
import { Entries } from './ledger.tsx';

/** A request and its response side by side, and the effects of the request. */
export function RequestDetail({ store, id }: DetailViewProps): JSX.Element {
  return (
    <Detail<RequestView>
      store={store}
      view="requests"
      label={`Request ${id}`}
      path={`/requests/${encodeURIComponent(id)}`}
      title={({ method, path }) => `${method} ${path}`}
      badge={({ response }) => (
        <HttpStatus value={typeof response === 'string' ? response : (response?.status ?? null)} />
      )}
    >
      {(request) => (
        <>
          <Facts
            facts={{
              Time: formatTime(request.at),
              Operation: request.operation ?? 'none',
              Mode: request.mode ?? 'none',
              Account: request.account ?? 'none',
              Transport: request.transport,
              Id: request.id,
            }}
          />
          <p class="actions">
            <CopyButton store={store} text={toCurl(request, store.origin)}>
              Copy as curl
            </CopyButton>
            <CopyButton store={store} text={toSdkCode(request, store.origin)}>
              Copy as SDK code
            </CopyButton>
          </p>
          <FaultNote request={request} />
          <Messages request={request} />
          <Effects request={request} />
        </>
      )}
    </Detail>
  );
}

interface RequestProps {
  readonly request: RequestView;
}

const lostKinds = new Set(['reset_before_commit', 'reset_after_commit', 'truncated', 'stalled', 'garbage']);

function FaultNote({ request: { fault, effects } }: RequestProps): JSX.Element | null {
  if (fault === null) return null;
  const isLost = lostKinds.has(fault.kind);
  return (
    <p class="fault-note">
      <Badge tone="warn">{fault.kind}</Badge>{' '}
      {isLost ? 'The caller did not get this response.' : 'An injected fault changed this response.'}{' '}
      {effects.payment_id !== null && 'The payment exists.'}
    </p>
  );
}

function Messages({ request: { headers, body, fault, response } }: RequestProps): JSX.Element {
  return (
    <div class="side-by-side">
      <Panel title="Request">
        <Headers headers={headers} />
        {body !== null && <Code label="Request body" text={body} />}
      </Panel>
      <Panel title={fault === null ? 'Response' : 'Response of the service'}>
        {response === null || response === 'connection_lost' ? (
          <p>{response === null ? 'No response yet.' : 'The connection was lost before a response.'}</p>
        ) : (
          <>
            <Headers headers={response.headers} />
            {response.body !== null && <Code label="Response body" text={response.body} />}
          </>
        )}
      </Panel>
    </div>
  );
}

function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> }): JSX.Element {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <details>
      <summary>{lines.length} headers</summary>
      <Code label="Headers" text={lines.join('\n')} />
    </details>
  );
}

function Effects({ request: { effects } }: RequestProps): JSX.Element {
  const { payment_id, entries, events, deliveries } = effects;
  if (payment_id === null) return <p class="muted">This request changed nothing.</p>;
  return (
    <Panel title="Effects" aside={<a href={toHref('payments', payment_id)}>{payment_id}</a>}>
      <Entries entries={entries} />
      <p class="muted">{events.map(({ event, at }) => `${event} at ${formatTime(at)}`).join(', ')}</p>
      <Deliveries deliveries={deliveries} />
    </Panel>
  );
}
