import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { callApi } from './api.ts';
import { formatTime } from './format.ts';
import type { Store, StoreProps } from './state.ts';
import type { AccountView } from './types.ts';

const connections = {
  connecting: 'Connecting',
  connected: 'Connected',
  lost: 'Connection lost, trying again',
  login: 'Token needed',
};

/** The account, the mode and the clock of every view. */
export function Header({ store }: StoreProps): JSX.Element {
  const { accounts, account, mode, connection, select, report } = store;
  return (
    <header>
      <p class="brand">
        <span class="wide">Payments sandbox</span>
        {report === undefined ? (
          <span class={`connection ${connection.value}`} role="status">
            <span>{connections[connection.value]}</span>
          </span>
        ) : (
          <span class="muted">Report</span>
        )}
      </p>
      <SandboxTime store={store} />
      {report === undefined && <ClockButtons store={store} />}
      <div class="scope">
        <select
          aria-label="Account"
          value={account}
          onChange={(event) => select({ account: event.currentTarget.value })}
        >
          {accounts.value.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <fieldset class="modes" aria-label="Mode">
          {(['test', 'live'] as const).map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="mode"
                checked={mode.value === each}
                onChange={() => select({ mode: each })}
              />
              {each}
            </label>
          ))}
        </fieldset>
        {report === undefined && (
          <button onClick={() => void copyKey(store)}>
            Copy <span class="wide">{mode.value}</span> key
          </button>
        )}
      </div>
    </header>
  );
}

async function copyKey(store: Store): Promise<void> {
  const { account, mode } = store.scope.value;
  await store.act(async () => {
    const { testKey, liveKey } = await callApi<AccountView>('GET', `/accounts/${account}`);
    await navigator.clipboard.writeText(mode === 'test' ? testKey : liveKey);
  }, `The ${mode} key is in the clipboard.`);
}

/** The time of the sandbox: of a manual clock as it is, of a running one read every second. */
function SandboxTime({ store: { overview, report } }: StoreProps): JSX.Element {
  const read = useSignal('');
  const { clock, now: manual = null } = overview.value ?? {};
  const isRunning = clock !== undefined && manual === null && report === undefined;
  useEffect(() => {
    if (!isRunning) return undefined;
    const ask = (): void =>
      void callApi<{ readonly now: string }>('GET', '/clock').then(
        ({ now }) => (read.value = now),
        () => {},
      );
    ask();
    const timer = setInterval(ask, 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  const now = manual ?? read.value;
  const [date = '', time = ''] = formatTime(now).split(' ');
  const speed = typeof clock === 'object' && clock.speed !== 1 ? `, ${clock.speed} × as fast` : '';
  return (
    <span class="clock">
      <span class="wide label">{clock === 'manual' ? 'Manual clock' : `Sandbox time${speed}`}</span>
      <time dateTime={now}>
        <span class="wide">{date}</span> {time}
      </time>
    </span>
  );
}

/** The buttons that advance a manual clock. */
export function ClockButtons({ store }: StoreProps): JSX.Element | null {
  if (store.overview.value?.clock !== 'manual') return null;
  const next = findNext(store);
  const advance = (by: string): void =>
    void store.act(() => callApi('POST', '/clock/advance', { body: { by } }), `The clock advanced by ${by}.`);
  const set = (time: string): void =>
    void store.act(
      () => callApi('POST', '/clock/set', { body: { time } }),
      'The clock is at the next event.',
    );
  return (
    <span class="steps" role="group" aria-label="Advance the clock">
      <button disabled={next === undefined} onClick={() => next !== undefined && set(next)}>
        Next event
      </button>
      {['1s', '5s', '1m', '1h', '1d'].map((by) => (
        <button key={by} onClick={() => advance(by)}>
          +{by}
        </button>
      ))}
    </span>
  );
}

/** Returns the time of the next transition or attempt of the shown account and mode, or undefined. */
function findNext({ payments, deliveries }: Store): string | undefined {
  const transitions = payments.value.flatMap(({ next }) => next?.at ?? []);
  const attempts = deliveries.value.flatMap(({ next_at }) => next_at ?? []);
  return [...transitions, ...attempts].toSorted()[0];
}
