import settings from 'virtual:profile-settings';
import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import type { Store } from '../state.ts';
import { Panel, useApi } from '../ui.tsx';

type Profile = Readonly<Record<string, unknown>>;

/** A setting with a list of values, or a field of one. */
type Choice = (typeof settings)[number];

/** Returns the value of a setting or of its field. */
function readValue(profile: Profile, { name, field }: Choice): unknown {
  const value = profile[name];
  return field === undefined ? value : (value as Profile)[field];
}

/** The profile of the shown account. Settings that differ from the default are marked. */
export function ProfilePanel({ store }: { readonly store: Store }): JSX.Element {
  const { account } = store.scope.value;
  const { body: profile } = useApi<Profile>(store, '/profile', { account });
  const set = ({ name, field }: Choice, text: string): void => {
    const chosen = /^\d+$/.test(text) ? Number(text) : text;
    const body = { settings: { [name]: field === undefined ? chosen : { [field]: chosen } }, account };
    void store.act(async () => {
      await callApi('PATCH', '/profile', { body });
      store.version.value += 1;
    });
  };
  return (
    <Panel title="Profile of this account">
      {profile !== undefined &&
        settings
          // A template of its own is no choice.
          .filter((choice) => choice.values.includes(String(readValue(profile, choice))))
          .map((choice) => {
            const { name, field, values, meaning } = choice;
            const label = field === undefined ? name : `${name}.${field}`;
            const value = String(readValue(profile, choice));
            return (
              <label key={label} class={value === values[0] ? 'setting' : 'setting changed'}>
                <span>
                  <b>{label}</b>
                  <span class="muted">{meaning}</span>
                </span>
                <select
                  value={value}
                  disabled={store.report !== undefined}
                  onChange={(event) => set(choice, event.currentTarget.value)}
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
