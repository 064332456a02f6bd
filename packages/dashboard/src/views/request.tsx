import type { JSX } from 'preact';
import { formatTime } from '../format.ts';
import { toHref } from '../router.ts';
import { toCurl } from '../samples.ts';
import type { RequestView } from '../types.ts';
import { Badge, Code, CopyButton, Detail, type DetailViewProps, Facts, Status, Panel } from '../ui.tsx';
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
        <Status value={typeof response === 'string' ? response : (response?.status ?? null)} />
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
      <Message title="Request" headers={headers} body={body} />
      {typeof response === 'object' && response !== null ? (
        <Message title={fault === null ? 'Response' : 'Response of the service'} {...response} />
      ) : (
        <Panel title="Response">
          <p>{response === null ? 'No response yet.' : 'The connection was lost before a response.'}</p>
        </Panel>
      )}
    </div>
  );
}

interface MessageProps extends Pick<RequestView, 'headers' | 'body'> {
  readonly title: string;
}

function Message({ title, headers, body }: MessageProps): JSX.Element {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Panel title={title}>
      <details>
        <summary>{lines.length} headers</summary>
        <Code label={`Headers of the ${title.toLowerCase()}`} text={lines.join('\n')} />
      </details>
      {body !== null && <Code label={`${title.split(' ', 1)[0]} body`} text={body} />}
    </Panel>
  );
}

function Effects({ request: { effects } }: RequestProps): JSX.Element {
  const { payment_id, entries, deliveries } = effects;
  if (payment_id === null) return <p class="muted">This request changed nothing.</p>;
  return (
    <Panel title="Effects" aside={<a href={toHref('payments', payment_id)}>{payment_id}</a>}>
      <Entries entries={entries} />
      <Deliveries deliveries={deliveries} />
    </Panel>
  );
}
