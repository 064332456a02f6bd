import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import type { StoreProps } from '../state.ts';
import type { FaultView } from '../types.ts';
import { Badge, Choice, Form, Panel, useApi } from '../ui.tsx';

/** The faults to choose from by what they affect: kind, effect and options. */
const offered: Readonly<
  Record<string, readonly (readonly [kind: string, effect: string, options?: object])[]>
> = {
  request: [
    ['reset_after_commit', 'The payment is created, the response is lost'],
    ['reset_before_commit', 'The connection is lost before anything happens'],
    ['status', 'The service answers 503', { status: 503 }],
    ['rate_limit', 'The service answers 429'],
    ['latency', 'The response takes 3 seconds', { ms: 3_000 }],
    ['html', 'A gateway answers with an HTML page'],
    ['truncated', 'The response ends in the middle'],
  ],
  delivery: [
    ['duplicate', 'The event arrives twice'],
    ['reorder', 'Two events arrive in the wrong order'],
    ['drop', 'The first attempt is lost'],
    ['tamper', 'The body is changed after signing'],
    ['wrong_secret', 'The event is signed with another secret'],
  ],
};

/** The injected faults: the active ones, and in a report all of them. */
export function Faults({ store }: StoreProps): JSX.Element {
  const { body } = useApi<{ readonly faults: readonly FaultView[] }>(store, '/faults');
  const isReport = store.report !== undefined;
  const shown = (body?.faults ?? []).filter(
    ({ times, fired }) => isReport || times === 'unlimited' || fired < times,
  );
  return (
    <Panel title="Faults">
      {!isReport && <FaultForm store={store} />}
      <ul class="plain lines">
        {shown.map(({ id, kind, target, fired }) => (
          <li key={id}>
            <Badge tone="warn">{kind}</Badge>
            <span class="muted">
              {target}, fired {fired} times
            </span>
            {!isReport && (
              <button onClick={() => void store.act(() => callApi('DELETE', `/faults/${id}`))}>Remove</button>
            )}
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="muted">{isReport ? 'No fault was injected.' : 'No active fault.'}</p>}
    </Panel>
  );
}

/** Injects a fault into the next create or delivery. */
function FaultForm({ store }: StoreProps): JSX.Element {
  const choice = useSignal('reset_after_commit');
  const inject = (): Promise<void> => {
    const target = offered.delivery?.some(([kind]) => kind === choice.value) ? 'delivery' : 'request';
    const [kind, , options] = offered[target]?.find(([each]) => each === choice.value) ?? [];
    const body = { kind, target, ...options, ...(target === 'request' && { operation: 'createPayment' }) };
    return callApi('POST', '/faults', { body });
  };
  return (
    <Form store={store} button="Inject" run={inject} done="The next create or delivery has this fault.">
      <Choice label="For the next create or delivery" value={choice}>
        {Object.entries(offered).map(([target, faults]) => (
          <optgroup key={target} label={target === 'request' ? 'Create of a payment' : 'Webhook delivery'}>
            {faults.map(([kind, effect]) => (
              <option key={kind} value={kind}>
                {effect}
              </option>
            ))}
          </optgroup>
        ))}
      </Choice>
    </Form>
  );
}
