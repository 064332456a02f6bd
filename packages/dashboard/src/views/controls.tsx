import { useSignal } from '@preact/signals';
import settings from 'virtual:profile-settings';
import type { JSX } from 'preact';
import type { ViewProps } from '../app.tsx';
import { callApi } from '../api.ts';
import type { Store } from '../store.ts';
import type { FaultView } from '../types.ts';
import { Badge, Panel, useApi } from '../ui.tsx';

/** Faults, money, profile and snapshots. */
export function ControlsView({ store }: ViewProps): JSX.Element {
  return (
    <div class="columns">
      <div class="stack">
        <Faults store={store} />
        <Wallet store={store} />
        <ClockSpeed store={store} />
        <Snapshots store={store} />
      </div>
      <ProfilePanel store={store} />
    </div>
  );
}

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

/** Injects a fault into the next request or delivery, and lists the injected ones. */
function Faults({ store }: { readonly store: Store }): JSX.Element {
  const choice = useSignal('reset_after_commit');
  const { body } = useApi<{ readonly faults: readonly FaultView[] }>(store, '/faults');
  const inject = (event: Event): void => {
    event.preventDefault();
    const kind = choice.value;
    const [, , options] = [...requestFaults, ...deliveryFaults].find(([each]) => each === kind) ?? [];
    const target = deliveryFaults.some(([each]) => each === kind) ? 'delivery' : 'request';
    const fault = { kind, target, ...options, ...(target === 'request' && { operation: 'createPayment' }) };
    void store.act(() => callApi('POST', '/faults', { body: fault }), 'The fault waits for its moment.');
  };
  const active = (body?.faults ?? []).filter(({ times, fired }) => times === 'unlimited' || fired < times);
  return (
    <Panel title="Faults">
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
      <ul class="plain">
        {active.map(({ id, kind, target, fired }) => (
          <li key={id}>
            <Badge tone="warn">{kind}</Badge> {target}, fired {fired} times{' '}
            <button onClick={() => void store.act(() => callApi('DELETE', `/faults/${id}`))}>Remove</button>
          </li>
        ))}
      </ul>
      {active.length === 0 && <p class="muted">No fault waits.</p>}
    </Panel>
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

type Profile = Readonly<Record<string, unknown>>;

/** The profile of the shown account. Settings that differ from the default are marked. */
function ProfilePanel({ store }: { readonly store: Store }): JSX.Element {
  const { account } = store.scope.value;
  const { body: profile } = useApi<Profile>(store, '/profile', { account });
  const set = (name: string, text: string, value: unknown): void => {
    const chosen = typeof value === 'number' || /^\d+$/.test(text) ? Number(text) : text;
    const body = { settings: { [name]: chosen }, account };
    void store.act(async () => {
      await callApi('PATCH', '/profile', { body });
      store.version.value += 1;
    });
  };
  return (
    <Panel title="Profile of this account">
      {profile !== undefined &&
        settings
          .filter(({ name, values }) => values.length > 1 && name !== 'deprecation')
          .map(({ name, values, meaning }) => {
            const value = String(profile[name]);
            return (
              <label key={name} class={value === values[0] ? 'setting' : 'setting changed'}>
                <span>
                  <b>{name}</b>
                  <span class="muted">{meaning}</span>
                </span>
                <select
                  value={value}
                  onChange={(event) => set(name, event.currentTarget.value, profile[name])}
                >
                  {values.map((each) => (
                    <option key={each} value={each}>
                      {each === values[0] ? `${each} (default)` : each}
                    </option>
                  ))}
                </select>
              </label>
            );
          })}
    </Panel>
  );
}
