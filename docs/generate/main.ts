// Writes the generated pages of the site into docs/reference, which git ignores. Runs before each build of the site.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateCommands } from './commands.ts';
import { generateEnvironment } from './environment.ts';
import { generateHttpApi } from './http-api.ts';
import { generatePackages } from './packages.ts';

const folder = join(import.meta.dirname, '../reference');

rmSync(folder, { recursive: true, force: true });
const all = [generatePackages(), generateHttpApi(), await generateCommands(), generateEnvironment()];
for (const [path, text] of all.flatMap((pages) => [...pages])) {
  const file = join(folder, `${path}.md`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${text.trimEnd()}\n`);
}
