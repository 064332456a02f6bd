import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import type { StoreProps } from '../state.ts';
import { Choice, Form, useApi } from '../ui.tsx';

/** Events of a payment without its ledger entries would contradict the API. */
const payment = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', beneficiary_name: 'Test event' };
const statuses = ['pending', 'processing', 'completed', 'failed'];

/**
 * Sends the events of a new payment in a chosen status. The payment exists, so that a receiver that reads it finds it.
 */
export function TestEvent({ store }: StoreProps): JSX.Element {
  const { account } = store.scope.value;
  const { body: profile } = useApi<{ readonly events: readonly string[] }>(store, '/profile', { account });
  const choice = useSignal('completed');
  const sent = statuses.filter((status) => profile?.events.includes(status) ?? true);
  if (!sent.includes(choice.value)) choice.value = sent.at(-1) ?? '';
  const status = choice.value;
  return (
    <Form
      store={store}
      button="Send test event"
      run={() => callApi('POST', '/payments', { body: { ...store.scope.value, ...payment, status } })}
      done={`Sent the events of a payment that is ${status}.`}
    >
      <Choice label="Test event of a new payment, after the events before it" value={choice}>
        {sent.map((each) => (
          <option key={each} value={each}>
            payment.{each}
          </option>
        ))}
      </Choice>
    </Form>
  );
}
