import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import type { Store } from '../state.ts';
import type { WalletView } from '../types.ts';
import { useApi } from '../ui.tsx';

const events = ['pending', 'processing', 'completed', 'failed'];

/**
 * Sends the events of a new payment in a chosen status. The payment exists, so that a receiver that reads it finds it.
 */
export function TestEvent({ store }: { readonly store: Store }): JSX.Element {
  const { account } = store.scope.value;
  const { body: profile } = useApi<{ readonly events: readonly string[] }>(store, '/profile', { account });
  const choice = useSignal('completed');
  const sent = events.filter((status) => profile?.events.includes(status) ?? true);
  const status = sent.find((each) => each === choice.value) ?? sent.at(-1) ?? '';
  const send = (event: Event): void => {
    event.preventDefault();
    void store.act(() => createPayment(store, status), `Sent the events of a payment that is ${status}.`);
  };
  return (
    <form class="filters" onSubmit={send}>
      <label class="grow">
        Test event of a new payment, after the events before it
        <select value={status} onChange={(event) => (choice.value = event.currentTarget.value)}>
          {sent.map((each) => (
            <option key={each} value={each}>
              payment.{each}
            </option>
          ))}
        </select>
      </label>
      <button>Send test event</button>
    </form>
  );
}

/** Creates a payment of 1.00 from the fullest wallet: events of a payment without its ledger entries would contradict the API. */
async function createPayment(store: Store, status: string): Promise<void> {
  const scope = store.scope.value;
  const { wallets } = await callApi<{ readonly wallets: readonly WalletView[] }>('GET', '/wallets', {
    query: scope,
  });
  const [fullest] = wallets.toSorted((a, b) => Number(b.available) - Number(a.available));
  const from_currency = fullest?.currency ?? 'USD';
  const to_currency = from_currency === 'EUR' ? 'USD' : 'EUR';
  const body = {
    ...scope,
    from_currency,
    to_currency,
    amount: '1.00',
    beneficiary_name: 'Test event',
    status,
  };
  await callApi('POST', '/payments', { body });
}
