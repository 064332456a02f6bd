import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ViewProps } from '../app.tsx';
import { callApi } from '../api.ts';
import { ClockButtons } from '../header.tsx';
import { toHref } from '../router.ts';
import type { StoreProps } from '../state.ts';
import type { AccountView } from '../types.ts';
import { Action, Field, Form, Panel } from '../ui.tsx';
import { Faults } from './faults.tsx';
import { ProfilePanel } from './profile.tsx';

/** Faults, clock, accounts and snapshots; the profile has a page below. */
export function ControlsView({ store, id }: ViewProps): JSX.Element {
  if (id === 'profile') return <ProfilePanel store={store} />;
  return (
    <div class="columns">
      <Faults store={store} />
      <Clock store={store} />
      <Accounts store={store} />
      <Snapshots store={store} />
      <Panel title="Profile" aside={<a href={toHref('controls', 'profile')}>Profile of this account</a>}>
        <p class="muted">How the service behaves where its document leaves it open.</p>
      </Panel>
    </div>
  );
}

/** Advances a manual clock. */
function Clock({ store }: StoreProps): JSX.Element {
  return (
    <Panel title="Clock">
      <ClockButtons store={store} />
      <p class="muted">A manual clock moves only when you advance it.</p>
    </Panel>
  );
}

/** Creates accounts, and adds money to the shown one. */
function Accounts({ store }: StoreProps): JSX.Element {
  const name = useSignal('');
  const amount = useSignal('1000.00');
  const currency = useSignal('USD');
  const credit = (): Promise<void> => {
    const body = { ...store.scope.value, currency: currency.value.toUpperCase(), amount: amount.value };
    return callApi('POST', '/wallets/credit', { body });
  };
  const create = async (): Promise<void> => {
    const { id } = await callApi<AccountView>('POST', '/accounts', { body: { name: name.value } });
    name.value = '';
    store.select({ account: id });
  };
  return (
    <Panel title="Accounts">
      <Form
        store={store}
        button={`Deposit in ${store.mode.value} mode`}
        run={credit}
        done="The deposit is in the wallet."
      >
        <Field label="Amount" required value={amount} />
        <Field label="Currency" required value={currency} />
      </Form>
      <Form store={store} button="Create account" run={create} done="The page shows the new account.">
        <Field label="Name of a new account" required value={name} />
      </Form>
    </Panel>
  );
}

/** Downloads, restores and resets the state. */
function Snapshots({ store }: StoreProps): JSX.Element {
  return (
    <Panel title="Snapshots">
      <p class="actions">
        <Action store={store} run={download}>
          Download
        </Action>
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
        <Action store={store} run={() => callApi('POST', '/reset')} done="The sandbox is reset.">
          Reset
        </Action>
      </p>
      <p class="muted">A snapshot contains the API keys and signing secrets of this sandbox.</p>
    </Panel>
  );
}

async function download(): Promise<void> {
  const text = JSON.stringify(await callApi<object>('GET', '/snapshot'));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = 'sandbox-snapshot.json';
  link.click();
}

async function restore(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  await callApi('POST', '/restore', { body: JSON.parse(await file.text()) as object });
}
