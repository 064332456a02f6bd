import type { Command } from 'commander';
import { findBaseUrl } from '../config.ts';
import { findProjectFile, findUserFile, type SettingName, settingNames } from '../config-files.ts';
import { maskKeys } from '../output.ts';
import { type CreateAction, exitCodes, type Handler, type Session } from '../session.ts';
import { findSetting, type Setting } from '../settings.ts';
import { createTable } from '../table.ts';

/** Defines `config show`. */
export function defineShowConfig(command: Command, act: CreateAction): void {
  command
    .addHelpText('after', '\nExample:\n  $ service-cli config show --config-profile staging')
    .action(act(showConfig));
}

const showConfig: Handler<readonly [], object> = async (session) => {
  const { output, environment } = session;
  const rows = settingNames.map((name) => {
    const { value, source } = findValue(session, name) ?? {};
    return { name, value: value === undefined ? null : maskValue(name, value), source: source ?? null };
  });
  const files = {
    project_file: findProjectFile(environment) ?? null,
    user_file: findUserFile(environment) ?? null,
  };
  const table = createTable([{ field: 'name' }, { field: 'value' }, { field: 'source' }], output.terminal);
  const lines = Object.entries(files).map(([name, path]) => `${name.replace('_', ' ')}: ${path ?? '-'}`);
  await output.result({ settings: rows, ...files }, [...table(rows), '', ...lines]);
  return exitCodes.ok;
};

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
  if (name === 'baseUrl') return value;
  return name === 'apiKey' && /^service_(?:test|live)_/.test(value) ? maskKeys(value) : MASK;
}
