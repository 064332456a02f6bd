import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { callApi } from './api.ts';
import { formatTime } from './format.ts';
import type { Store } from './state.ts';
import type { AccountView, Mode } from './types.ts';

const connections = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, trying again',
  login: 'Token needed',
};

/** The account, the mode and the clock of every view. */
export function Header({ store }: { readonly store: Store }): JSX.Element {
  const { accounts, account, mode, select, report } = store;
  return (
    <header>
      <p class="brand">
        Payments sandbox
        {report === undefined ? <ConnectionStatus store={store} /> : <span class="connection">Report</span>}
      </p>
      <ClockPanel store={store} />
      <div class="scope">
        <label>
          Account
          <select value={account} onChange={(event) => select({ account: event.currentTarget.value })}>
            {accounts.value.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <fieldset class="modes">
          <legend>Mode</legend>
          {(['test', 'live'] as const).map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="mode"
                checked={mode.value === each}
                onChange={() => select({ mode: each satisfies Mode })}
              />
              {each}
            </label>
          ))}
        </fieldset>
        {report === undefined && <button onClick={() => void copyKey(store)}>Copy {mode.value} key</button>}
      </div>
      {mode.value === 'live' && (
        <p class="live-note">Live mode of the sandbox: separate keys and balances. No real money moves.</p>
      )}
    </header>
  );
}

function ConnectionStatus({ store: { connection } }: { readonly store: Store }): JSX.Element {
  return (
    <span class={`connection ${connection.value}`} role="status">
      {connections[connection.value]}
    </span>
  );
}

async function copyKey(store: Store): Promise<void> {
  const { account, mode } = store.scope.value;
  await store.act(async () => {
    const { testKey, liveKey } = await callApi<AccountView>('GET', `/accounts/${account}`);
    await navigator.clipboard.writeText(mode === 'test' ? testKey : liveKey);
  }, `The ${mode} key is in the clipboard.`);
}

const steps = ['1s', '5s', '1m', '1h', '1d'];

/** The time of the sandbox, and the buttons that advance a manual clock. */
function ClockPanel({ store }: { readonly store: Store }): JSX.Element {
  const now = useSandboxTime(store);
  const clock = store.overview.value?.clock;
  const isManual = clock === 'manual';
  const speed = typeof clock === 'object' && clock.speed !== 1 ? `, ${clock.speed} × as fast` : '';
  const next = findNext(store);
  const advance = (by: string): void =>
    void store.act(() => callApi('POST', '/clock/advance', { body: { by } }), `The clock advanced by ${by}.`);
  return (
    <div class="clock">
      <span>
        <span class="label">{isManual ? 'Manual clock' : `Sandbox time${speed}`}</span>
        <time dateTime={now}>{formatTime(now)}</time>
      </span>
      {isManual && store.report === undefined && (
        <span class="steps" role="group" aria-label="Advance the clock">
          {steps.map((by) => (
            <button key={by} onClick={() => advance(by)}>
              +{by}
            </button>
          ))}
          {next !== undefined && (
            <button
              onClick={() => void store.act(() => callApi('POST', '/clock/set', { body: { time: next } }))}
            >
              Next event
            </button>
          )}
        </span>
      )}
    </div>
  );
}

/** Returns the time of the next transition or attempt of the shown account and mode, or undefined. */
function findNext({ payments, deliveries }: Store): string | undefined {
  const transitions = payments.value.flatMap(({ next }) => next?.at ?? []);
  const attempts = deliveries.value.flatMap(({ next_at }) => next_at ?? []);
  return [...transitions, ...attempts].toSorted()[0];
}

/** Returns the time of the sandbox: of a manual clock as it is, of a running one read every second. */
function useSandboxTime({ overview, report }: Store): string {
  const now = useSignal('');
  const manual = overview.value?.now ?? null;
  const isRunning = overview.value !== undefined && manual === null && report === undefined;
  useEffect(() => {
    if (!isRunning) return undefined;
    const read = (): void =>
      void callApi<{ readonly now: string }>('GET', '/clock').then(
        (clock) => (now.value = clock.now),
        () => {},
      );
    read();
    const timer = setInterval(read, 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return manual ?? now.value;
}
