import { defineCommand } from '../command.ts';
import {
  findBaseUrl,
  findSetting,
  findUserFile,
  type Setting,
  type SettingName,
  settingVariables,
} from '../config.ts';
import { maskKeys } from '../output.ts';
import type { DefineCommand, Session } from '../session.ts';
import { createTable } from '../terminal.ts';

/** Defines `config show`. */
export const configShowCommand: DefineCommand = defineCommand({
  help: 'Example:\n  $ service-cli config show --config-profile staging',
  async run(session) {
    const { output } = session;
    const rows = (Object.keys(settingVariables) as SettingName[]).map((name) => {
      const { value, source } = findValue(session, name) ?? {};
      return { name, value: value === undefined ? null : maskValue(name, value), source: source ?? null };
    });
    const path = findUserFile(session);
    const table = createTable([{ field: 'name' }, { field: 'value' }, { field: 'source' }], output.terminal);
    const document = { settings: rows, user_file: path ?? null };
    await output.result(document, [...table(rows), '', `user file: ${path ?? '-'}`]);
  },
});

/** Returns a setting as the commands find it, also from options. Files of options are not read. */
function findValue(session: Session, name: SettingName): Pick<Setting, 'value' | 'source'> | undefined {
  const { keyFile, key } = session.globals();
  if (name === 'baseUrl') return findBaseUrl(session);
  if (name === 'apiKey' && keyFile !== undefined) return { value: MASK, source: '--key-file' };
  if (name === 'apiKey' && key !== undefined) return { value: key, source: '--key' };
  return findSetting(session, name);
}

const MASK = '…';

/** Masks a secret. Of an API key it shows the mode and the end. */
function maskValue(name: SettingName, value: string): string {
  // A URL with a password or a query is rejected by the other commands.
  if (name === 'baseUrl') return /[@?#]/.test(value) ? MASK : value;
  return name === 'apiKey' && /^service_(?:test|live)_/.test(value) ? maskKeys(value) : MASK;
}
