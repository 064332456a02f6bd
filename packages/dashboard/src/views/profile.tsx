import settings from 'virtual:profile-settings';
import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import { toHref } from '../router.ts';
import type { StoreProps } from '../state.ts';
import { Panel, useApi } from '../ui.tsx';

type Setting = (typeof settings)[number];
type Profile = Readonly<Record<string, unknown>>;

/** The profile of the shown account. Settings that differ from the default are marked. */
export function ProfilePanel({ store }: StoreProps): JSX.Element {
  const { account } = store.scope.value;
  const { body: profile } = useApi<Profile>(store, '/profile', { account });
  const chosen = settings.filter(({ name, values }) => values.length > 1 && name !== 'deprecation');
  const isFirst = ({ name, values, isImportant }: Setting): boolean =>
    isImportant || String(profile?.[name]) !== values[0];
  const show = (setting: Setting): JSX.Element => (
    <SettingChoice key={setting.name} store={store} setting={setting} value={profile?.[setting.name]} />
  );
  return (
    <Panel title="Profile of this account" aside={<a href={toHref('controls')}>Controls</a>}>
      {profile !== undefined && (
        <>
          {chosen.filter(isFirst).map(show)}
          <details>
            <summary>All other settings</summary>
            {chosen.filter((setting) => !isFirst(setting)).map(show)}
          </details>
        </>
      )}
    </Panel>
  );
}

interface SettingProps extends StoreProps {
  readonly setting: Setting;
  readonly value: unknown;
}

function SettingChoice({ store, setting: { name, values, meaning }, value }: SettingProps): JSX.Element {
  const set = (text: string): void => {
    const chosen = typeof value === 'number' || /^\d+$/.test(text) ? Number(text) : text;
    const body = { settings: { [name]: chosen }, account: store.account.value };
    void store.act(() => callApi('PATCH', '/profile', { body }));
  };
  return (
    <label class={String(value) === values[0] ? 'setting' : 'setting changed'}>
      <span>
        <b>{name}</b>
        <span class="muted">{meaning}</span>
      </span>
      <select
        value={String(value)}
        disabled={store.report !== undefined}
        onChange={(event) => set(event.currentTarget.value)}
      >
        {values.map((each) => (
          <option key={each} value={each}>
            {each === values[0] ? `${each} (default)` : each}
          </option>
        ))}
      </select>
    </label>
  );
}
