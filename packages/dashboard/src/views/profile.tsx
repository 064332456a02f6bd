import settings from 'virtual:profile-settings';
import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import type { Store } from '../state.ts';
import { Panel, useApi } from '../ui.tsx';

type Profile = Readonly<Record<string, unknown>>;

/** The profile of the shown account. Settings that differ from the default are marked. */
export function ProfilePanel({ store }: { readonly store: Store }): JSX.Element {
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
                  disabled={store.report !== undefined}
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
