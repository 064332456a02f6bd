import settings from 'virtual:profile-settings';
import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import { toHref } from '../router.ts';
import type { StoreProps } from '../state.ts';
import { Code, Panel, useApi } from '../ui.tsx';

/** A value of a setting, or of its fields. */
type Value = string | number | { readonly [field: string]: Value };

/** The settings of the shown account that matter most. Those that differ from the default are marked. */
export function ProfilePanel({ store }: StoreProps): JSX.Element {
  const { account } = store.scope.value;
  const { body: profile = {} } = useApi<Readonly<Record<string, Value>>>(store, '/profile', { account });
  const set = (name: string, field: string | undefined, text: string): void => {
    const value = /^\d+$/.test(text) ? Number(text) : text;
    const body = { settings: { [name]: field === undefined ? value : { [field]: value } }, account };
    void store.act(() => callApi('PATCH', '/profile', { body }));
  };
  return (
    <Panel title="Profile of this account" aside={<a href={toHref('controls')}>Controls</a>}>
      {settings.map(({ name, field, values, meaning }) => {
        const setting = profile[name];
        const value = field === undefined || typeof setting !== 'object' ? setting : setting[field];
        const current = typeof value === 'object' ? 'a template' : String(value ?? values[0]);
        return (
          <label key={name} class={current === values[0] ? 'setting' : 'setting changed'}>
            <span>
              <b>{name}</b>
              <span class="muted">{meaning}</span>
            </span>
            <select value={current} onChange={(event) => set(name, field, event.currentTarget.value)}>
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
