import settings from 'virtual:profile-settings';
import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import { toHref } from '../router.ts';
import type { StoreProps } from '../state.ts';
import { Code, Panel, useApi } from '../ui.tsx';

/** The values of settings; an object is a template. */
type Profile = Readonly<Record<string, string | number | object>>;

/** The settings of the shown account that matter most. Those that differ from the default are marked. */
export function ProfilePanel({ store }: StoreProps): JSX.Element {
  const { account } = store.scope.value;
  const { body: profile = {} } = useApi<Profile>(store, '/profile', { account });
  const set = (name: string, text: string): void => {
    const body = { settings: { [name]: /^\d+$/.test(text) ? Number(text) : text }, account };
    void store.act(() => callApi('PATCH', '/profile', { body }));
  };
  return (
    <Panel title="Profile of this account" aside={<a href={toHref('controls')}>Controls</a>}>
      {settings.map(({ name, values, meaning }) => {
        const value = profile[name] ?? values[0];
        const current = typeof value === 'object' ? 'another one' : String(value);
        return (
          <label key={name} class={current === values[0] ? 'setting' : 'setting changed'}>
            <span>
              <b>{name}</b>
              <span class="muted">{meaning}</span>
            </span>
            <select
              value={current}
              disabled={store.report !== undefined}
              onChange={(event) => set(name, event.currentTarget.value)}
            >
              {[...new Set([...values, current])].map((each) => (
                <option key={each} value={each}>
                  {each === values[0] ? `${each} (default)` : each}
                </option>
              ))}
            </select>
          </label>
        );
      })}
      <details>
        <summary>All settings</summary>
        <Code label="All settings" text={JSON.stringify(profile)} />
      </details>
    </Panel>
  );
}
