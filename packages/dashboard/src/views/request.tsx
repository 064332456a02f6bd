import type { JSX } from 'preact';
import { formatTime } from '../format.ts';
import { toHref } from '../router.ts';
import { toCurl, toSdkCode } from '../samples.ts';
import type { Store } from '../state.ts';
import type { RequestView } from '../types.ts';
import { Badge, Code, CopyButton, Empty, Facts, HttpStatus, Panel, Status, useApi } from '../ui.tsx';
import { Entries } from './ledger.tsx';

/** A request and its response side by side, and the effects of the request. */
export function RequestDetail({ store, id }: { readonly store: Store; readonly id: string }): JSX.Element {
  const { body: request, error } = useApi<RequestView>(store, `/requests/${encodeURIComponent(id)}`);
  if (error !== undefined) return <Empty>{error}</Empty>;
  if (request === undefined) return <Empty>Loading…</Empty>;
  const { response } = request;
  const status = response === null || response === 'connection_lost' ? response : response.status;
  return (
    <article class="detail" aria-label={`Request ${id}`}>
      <div class="detail-head">
        <h2>
          {request.method} {request.path}
        </h2>
        <HttpStatus value={status} />
        <a class="close" href={toHref('requests')}>
          Close
        </a>
      </div>
      <Facts
        facts={[
          ['Id', request.id],
          ['Time', formatTime(request.at)],
          ['Account', request.account ?? 'none'],
          ['Mode', request.mode ?? 'none'],
          ['Transport', request.transport],
          ['Operation', request.operation ?? 'none'],
        ]}
      />
      <p class="actions">
        <CopyButton store={store} text={toCurl(request, store.origin)}>
          Copy as curl
        </CopyButton>
        <CopyButton store={store} text={toSdkCode(request, store.origin)}>
          Copy as SDK code
        </CopyButton>
      </p>
      {request.fault !== null && <FaultNote request={request} />}
      <div class="side-by-side">
        <Panel title="Request">
          <Headers headers={request.headers} />
          {request.body !== null && <Code label="Request body" text={request.body} />}
        </Panel>
        <Panel title={request.fault === null ? 'Response' : 'Response of the service'}>
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
      <Effects request={request} />
    </article>
  );
}

const lostKinds = new Set(['reset_before_commit', 'reset_after_commit', 'truncated', 'stalled', 'garbage']);

function FaultNote({ request: { fault, effects } }: { readonly request: RequestView }): JSX.Element | null {
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

function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> }): JSX.Element {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <details>
      <summary>{lines.length} headers</summary>
      <pre tabIndex={0} aria-label="Headers">
        {lines.join('\n')}
      </pre>
    </details>
  );
}

function Effects({ request: { effects } }: { readonly request: RequestView }): JSX.Element {
  const { payment_id, entries, events, deliveries } = effects;
  if (payment_id === null) return <p class="muted">This request changed nothing.</p>;
  return (
    <Panel title="Effects" aside={<a href={toHref('payments', payment_id)}>{payment_id}</a>}>
      <Entries entries={entries} />
      <ul class="plain">
        {events.map(({ event, at }) => (
          <li key={event}>
            {event} <span class="muted">{formatTime(at)}</span>
          </li>
        ))}
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <a href={toHref('webhooks', delivery.id)}>{delivery.event}</a> <Status value={delivery.state} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
