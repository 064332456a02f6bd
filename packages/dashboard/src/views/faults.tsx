import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import type { Store } from '../state.ts';
import type { FaultView } from '../types.ts';
import { Badge, Panel, useApi } from '../ui.tsx';

const requestFaults: readonly (readonly [kind: string, effect: string, options?: object])[] = [
  ['reset_after_commit', 'The payment is created, the response is lost'],
  ['reset_before_commit', 'The connection is lost before anything happens'],
  ['status', 'The service answers 503', { status: 503 }],
  ['rate_limit', 'The service answers 429'],
  ['latency', 'The response takes 3 seconds', { ms: 3_000 }],
  ['html', 'A gateway answers with an HTML page'],
  ['truncated', 'The response ends in the middle'],
];
const deliveryFaults: readonly (readonly [kind: string, effect: string, options?: object])[] = [
  ['duplicate', 'The event arrives twice'],
  ['reorder', 'Two events arrive in the wrong order'],
  ['drop', 'The first attempt is lost'],
  ['tamper', 'The body is changed after signing'],
  ['wrong_secret', 'The event is signed with another secret'],
];

/** The injected faults: those that wait, and in a report all of them. */
export function Faults({ store }: { readonly store: Store }): JSX.Element {
  const { body } = useApi<{ readonly faults: readonly FaultView[] }>(store, '/faults');
  const isReport = store.report !== undefined;
  const shown = (body?.faults ?? []).filter(
    ({ times, fired }) => isReport || times === 'unlimited' || fired < times,
  );
  return (
    <Panel title="Faults">
      {!isReport && <FaultForm store={store} />}
      <ul class="plain">
        {shown.map(({ id, kind, target, fired }) => (
          <li key={id}>
            <Badge tone="warn">{kind}</Badge> {target}, fired {fired} times{' '}
            {!isReport && (
              <button onClick={() => void store.act(() => callApi('DELETE', `/faults/${id}`))}>Remove</button>
            )}
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="muted">{isReport ? 'No fault was injected.' : 'No fault waits.'}</p>}
    </Panel>
  );
}

/** Injects a fault into the next create or delivery. */
function FaultForm({ store }: { readonly store: Store }): JSX.Element {
  const choice = useSignal('reset_after_commit');
  const inject = (event: Event): void => {
    event.preventDefault();
    const kind = choice.value;
    const [, , options] = [...requestFaults, ...deliveryFaults].find(([each]) => each === kind) ?? [];
    const target = deliveryFaults.some(([each]) => each === kind) ? 'delivery' : 'request';
    const fault = { kind, target, ...options, ...(target === 'request' && { operation: 'createPayment' }) };
    void store.act(() => callApi('POST', '/faults', { body: fault }), 'The fault waits for its moment.');
  };
  return (
    <form class="filters" onSubmit={inject}>
      <label class="grow">
        For the next create or delivery
        <select value={choice} onChange={(event) => (choice.value = event.currentTarget.value)}>
          <FaultOptions label="Create of a payment" faults={requestFaults} />
          <FaultOptions label="Webhook delivery" faults={deliveryFaults} />
        </select>
      </label>
      <button class="primary">Inject</button>
    </form>
  );
}

function FaultOptions({
  label,
  faults,
}: {
  readonly label: string;
  readonly faults: typeof requestFaults;
}): JSX.Element {
  return (
    <optgroup label={label}>
      {faults.map(([kind, effect]) => (
        <option key={kind} value={kind}>
          {effect}
        </option>
      ))}
    </optgroup>
  );
}
