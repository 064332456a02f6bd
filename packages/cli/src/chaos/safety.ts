import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLoopback } from '@service/internal';
import { UsageError } from '../errors.ts';

/** A value of a variable, and where it was found. */
interface Variable {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

/** The files that frameworks read variables from. */
const VARIABLE_FILE = /^\.env(?:\..*)?$/;

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
  const files = (await readdir(folder)).filter((name) => VARIABLE_FILE.test(name));
  const texts = await Promise.all(
    files.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8').catch(() => '') })),
  );
  const variables: Variable[] = [
    ...Object.entries(env).map(([name, value = '']) => ({ name, value, source: 'the environment' })),
    ...texts.flatMap(({ name, text }) => readVariables(text, name)),
  ];
  for (const variable of variables) checkVariable(variable);
}

function readVariables(text: string, source: string): Variable[] {
  const lines = text.matchAll(/^\s*(?:export\s+)?([\w.]+)\s*[=:]\s*(.*)$/gm);
  return Array.from(lines, ([, name = '', value = '']) => ({ name, value, source }));
}

function checkVariable({ name, value, source }: Variable): void {
  const advice = 'Remove it: this command makes payments, some of them twice.';
  // Examples of files contain placeholders such as `service_live_…` and `service_live_<key>`.
  if (/service_live_(?!<)[\x21-\x7e]{8}/.test(value))
    throw new UsageError(`${name} in ${source} contains a live key. ${advice}`);
  const url = /https?:\/\/[^\s'"#]+/.exec(value)?.[0] ?? '';
  const isBaseUrl = name === 'SERVICE_BASE_URL' || /\/api\/v1\/?$/.test(url);
  if (isBaseUrl && URL.canParse(url) && !isLoopback(new URL(url).hostname))
    throw new UsageError(`${name} in ${source} is the base URL of another machine. ${advice}`);
}
