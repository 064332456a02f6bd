import type { JSX } from 'preact';
import { callApi } from './api.ts';
import { formatTime } from './format.ts';
import type { Store, StoreProps } from './state.ts';
import type { AccountView } from './types.ts';
import { Action, copyText } from './ui.tsx';

const connections = {
  connecting: 'Connecting',
  connected: 'Connected',
  lost: 'Connection lost, trying again',
  login: 'Token needed',
};

/** The account, the mode and the clock of every view. */
export function Header({ store }: StoreProps): JSX.Element {
  const { accounts, account, mode, connection, select } = store;
  return (
    <header>
      <p class="brand">
        <span class="wide">Payments sandbox</span>
        <span class={`connection ${connection.value}`} role="status">
          <span>{connections[connection.value]}</span>
        </span>
      </p>
      <SandboxTime store={store} />
      <ClockButtons store={store} />
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
        <Action store={store} run={() => copyKey(store)} done={`The ${mode.value} key is in the clipboard.`}>
          Copy <span class="wide">{mode.value}</span> key
        </Action>
      </div>
    </header>
  );
}

async function copyKey({ scope }: Store): Promise<void> {
  const { account, mode } = scope.value;
  const { testKey, liveKey } = await callApi<AccountView>('GET', `/accounts/${account}`);
  await copyText(mode === 'test' ? testKey : liveKey);
}

/** The time of the sandbox. */
function SandboxTime({ store }: StoreProps): JSX.Element {
  const { clock, now = '' } = store.overview.value ?? {};
  const [date, time] = formatTime(now).split(' ');
  const speed = typeof clock === 'object' && clock.speed !== 1 ? `, ${clock.speed} × as fast` : '';
  return (
    <span class="clock">
      {clock !== 'manual' && <span class="wide label">Sandbox time{speed}</span>}
      <time dateTime={now}>
        <span class="wide">{date}</span> {time}
      </time>
    </span>
  );
}

/** The buttons that advance a manual clock. */
export function ClockButtons({ store }: StoreProps): JSX.Element | null {
  if (store.overview.value?.clock !== 'manual') return null;
  const time = findNext(store);
  return (
    <span class="steps" role="group" aria-label="Advance the clock">
      {time !== undefined && (
        <Action store={store} run={() => callApi('POST', '/clock/set', { body: { time } })}>
          Next event
        </Action>
      )}
      {['1s', '5s', '1m', '1h', '1d'].map((duration) => (
        <Action
          key={duration}
          store={store}
          run={() => callApi('POST', '/clock/advance', { body: { duration } })}
        >
          +{duration}
        </Action>
      ))}
    </span>
  );
}

/** Returns the time of the next transition or attempt of the shown account and mode, or undefined. */
function findNext({ payments, deliveries }: Store): string | undefined {
  const transitions = payments.value.flatMap(({ next }) => next?.at ?? []);
  const attempts = deliveries.value.flatMap(({ next_at }) =>
    next_at === null ? [] : new Date(next_at).toISOString(),
  );
  return [...transitions, ...attempts].toSorted()[0];
}
