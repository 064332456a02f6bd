import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import type { StoreProps } from '../state.ts';
import type { FaultView } from '../types.ts';
import { Action, Badge, Choice, Form, Panel, useApi } from '../ui.tsx';

const operation = 'createPayment';

/** The faults to choose from, by target and effect. */
const offers: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  'Create of a payment': {
    'The payment is created, the response is lost': { operation, kind: 'reset_after_commit' },
    'The connection is lost before anything happens': { operation, kind: 'reset_before_commit' },
    'The service answers 503': { operation, kind: 'status', status: 503 },
    'The service answers 429': { operation, kind: 'rate_limit' },
    'The response takes 3 seconds': { operation, kind: 'latency', ms: 3_000 },
    'A gateway answers with an HTML page': { operation, kind: 'html' },
    'The response ends in the middle': { operation, kind: 'truncated' },
  },
  'Webhook delivery': {
    'The event arrives twice': { kind: 'duplicate' },
    'Two events arrive in the wrong order': { kind: 'reorder' },
    'The first attempt is lost': { kind: 'drop' },
    'The body is changed after signing': { kind: 'tamper' },
    'The event is signed with another secret': { kind: 'wrong_secret' },
  },
};

/** The active faults. */
export function Faults({ store }: StoreProps): JSX.Element {
  const { body } = useApi<{ readonly faults: readonly FaultView[] }>(store, '/faults');
  const shown = (body?.faults ?? []).filter(({ times, fired }) => times === 'unlimited' || fired < times);
  return (
    <Panel title="Faults">
      <FaultForm store={store} />
      <ul class="plain lines">
        {shown.map(({ id, kind, target, fired }) => (
          <li key={id}>
            <Badge tone="warn">{kind}</Badge>
            <span class="muted">
              {target}, fired {fired} times
            </span>
            <Action store={store} run={() => callApi('DELETE', `/faults/${id}`)}>
              Remove
            </Action>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="muted">No active fault.</p>}
    </Panel>
  );
}

/** Injects a fault into the next create or delivery. */
function FaultForm({ store }: StoreProps): JSX.Element {
  const effect = useSignal('The payment is created, the response is lost');
  const inject = (): Promise<void> => {
    const [body = {}] = Object.values(offers).flatMap((faults) => faults[effect.value] ?? []);
    return callApi('POST', '/faults', { body });
  };
  return (
    <Form store={store} button="Inject" run={inject} done="The next create or delivery has this fault.">
      <Choice label="For the next create or delivery" value={effect}>
        {Object.entries(offers).map(([target, faults]) => (
          <optgroup key={target} label={target}>
            {Object.keys(faults).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </optgroup>
        ))}
      </Choice>
    </Form>
  );
}
