import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ViewProps } from '../app.tsx';
import { callApi } from '../api.ts';
import type { Store } from '../state.ts';
import { Panel } from '../ui.tsx';
import { Faults } from './faults.tsx';
import { ProfilePanel } from './profile.tsx';

/** Faults, money, profile and snapshots. */
export function ControlsView({ store }: ViewProps): JSX.Element {
  return (
    <div class="columns">
      <div class="stack">
        <Faults store={store} />
        {store.report === undefined && (
          <>
            <Wallet store={store} />
            <ClockSpeed store={store} />
            <Snapshots store={store} />
          </>
        )}
      </div>
      <ProfilePanel store={store} />
    </div>
  );
}

/** Adds money to a wallet. */
function Wallet({ store }: { readonly store: Store }): JSX.Element {
  const amount = useSignal('1000.00');
  const currency = useSignal('USD');
  const credit = (event: Event): void => {
    event.preventDefault();
    const body = { ...store.scope.value, currency: currency.value, amount: amount.value };
    void store.act(() => callApi('POST', '/wallets/credit', { body }), 'The deposit is in the wallet.');
  };
  return (
    <Panel title="Add money">
      <form class="filters" onSubmit={credit}>
        <label>
          Amount
          <input
            required
            inputMode="decimal"
            value={amount}
            onInput={(event) => (amount.value = event.currentTarget.value)}
          />
        </label>
        <label>
          Currency
          <input
            required
            maxLength={3}
            value={currency}
            onInput={(event) => (currency.value = event.currentTarget.value.toUpperCase())}
          />
        </label>
        <button>Deposit in {store.mode.value} mode</button>
      </form>
    </Panel>
  );
}

/** Changes the speed of a running clock. */
function ClockSpeed({ store }: { readonly store: Store }): JSX.Element {
  const typed = useSignal<string | undefined>(undefined);
  const clock = store.overview.value?.clock;
  const change = (event: Event): void => {
    event.preventDefault();
    const speed = Number(typed.value ?? current);
    void store.act(
      () => callApi('POST', '/clock/speed', { body: { speed } }),
      `The clock runs at ${speed} ×.`,
    );
  };
  const current = typeof clock === 'object' ? clock.speed : 1;
  return (
    <Panel title="Speed of the clock">
      {clock === 'manual' ? (
        <p class="muted">
          A manual clock has no speed: it moves only with the buttons beside the time. Start the mock without{' '}
          <code>--clock manual</code> for a clock that runs.
        </p>
      ) : (
        <form class="filters" onSubmit={change}>
          <label>
            Times the system time
            <input
              type="number"
              required
              min="0.001"
              max="1000000"
              step="any"
              value={typed.value ?? current}
              onInput={(event) => (typed.value = event.currentTarget.value)}
            />
          </label>
          <button>Set speed</button>
        </form>
      )}
    </Panel>
  );
}

/** Downloads, restores and resets the state. */
function Snapshots({ store }: { readonly store: Store }): JSX.Element {
  return (
    <Panel title="Snapshots">
      <p class="actions">
        <button onClick={() => void store.act(download)}>Download</button>
        <label class="button">
          Restore
          <input
            class="visually-hidden"
            type="file"
            accept="application/json"
            onChange={({ currentTarget }) =>
              void store.act(() => restore(currentTarget.files?.[0]), 'The snapshot is restored.')
            }
          />
        </label>
        <button onClick={() => void store.act(() => callApi('POST', '/baseline'), 'Reset returns here now.')}>
          Set baseline
        </button>
        <button
          class="danger"
          onClick={() => void store.act(() => callApi('POST', '/reset'), 'The sandbox is reset.')}
        >
          Reset
        </button>
      </p>
      <p class="muted">A snapshot contains the API keys and signing secrets of this sandbox.</p>
    </Panel>
  );
}

async function restore(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  await callApi('POST', '/restore', { body: JSON.parse(await file.text()) as object });
}

async function download(): Promise<void> {
  const snapshot = await callApi<object>('GET', '/snapshot');
  const url = URL.createObjectURL(new Blob([JSON.stringify(snapshot)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'sandbox-snapshot.json';
  link.click();
  URL.revokeObjectURL(url);
}
