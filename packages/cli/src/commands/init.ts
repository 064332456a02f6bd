import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCommand } from '../command.ts';
import { UsageError } from '../errors.ts';
import { docs } from '../generated/docs.ts';
import { describeFileError, readPackageFile } from '../input.ts';
import type { DefineCommand } from '../session.ts';

const FILE = 'service.sandbox.yaml';
const SCHEMA = 'service.sandbox.schema.json';
const INSTALLED_SCHEMA = `node_modules/@service/mock/${SCHEMA}`;

/** Defines `init`, which writes a seed file. */
export const initCommand: DefineCommand = defineCommand({
  help: 'Example:\n  $ service-cli init\n  $ service-cli mock',
  async run({ cwd = '.', output }) {
    const isInstalled = existsSync(join(cwd, INSTALLED_SCHEMA));
    const schema = isInstalled ? `./${INSTALLED_SCHEMA}` : new URL(SCHEMA, docs.seedFile).href;
    const settings = readPackageFile(`templates/${FILE}`).replace('DOCS', docs.seedFile);
    const text = `# yaml-language-server: $schema=${schema}\n${settings}`;
    try {
      await writeFile(join(cwd, FILE), text, { flag: 'wx' });
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new UsageError(`${FILE} exists. Remove it first.`);
      throw new UsageError(`Cannot write ${FILE}: ${describeFileError(code)}.`);
    }
    const line = `Wrote ${FILE}. Edit it, then start the mock with \`service-cli mock\`.`;
    await output.result({ file: FILE }, [line]);
  },
});
