import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLoopback } from '@service/internal';
import { UsageError } from '../errors.ts';

/** The files that frameworks read variables from. */
const VARIABLE_FILE = /^\.env(?:\..*)?$/;
const VARIABLE = /^\s*(?:export\s+)?([\w.]+)\s*[=:]\s*(.*)$/gm;

/**
 * Checks that neither the environment nor a `.env*` file of the working directory could make the application pay real
 * money.
 *
 * @throws {UsageError} for a live key, and for a base URL of another machine.
 */
export async function checkVariables(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<void> {
  for (const [name, value = ''] of Object.entries(env)) checkVariable(name, value, 'the environment');
  const files = (await readdir(folder)).filter((name) => VARIABLE_FILE.test(name));
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '');
    for (const [, name = '', value = ''] of text.matchAll(VARIABLE)) checkVariable(name, value, file);
  }
}

function checkVariable(name: string, value: string, source: string): void {
  const advice = 'Remove it: this command makes payments, some of them twice.';
  // Examples of files contain placeholders such as `service_live_…` and `service_live_<key>`.
  if (/service_live_(?!<)[\x21-\x7e]{8}/.test(value))
    throw new UsageError(`${name} in ${source} contains a live key. ${advice}`);
  const url = /https?:\/\/[^\s'"#]+/.exec(value)?.[0] ?? '';
  const isBaseUrl = name === 'SERVICE_BASE_URL' || /\/api\/v1\/?$/.test(url);
  if (isBaseUrl && URL.canParse(url) && !isLoopback(new URL(url).hostname))
    throw new UsageError(`${name} in ${source} is the base URL of another machine. ${advice}`);
}
