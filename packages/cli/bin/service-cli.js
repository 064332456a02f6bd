#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

const main = new URL('../dist/main.js', import.meta.url);
// Later starts take a third less time. Node 22.8 or later.
module.enableCompileCache?.();

const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 13))
  giveUp(
    `needs Node 22.13 or later; this is ${process.version}. ` +
      'Install a later Node, or run the mock in your tests with @service/mock.',
  );
else if (existsSync(main)) await import(main).catch(({ message }) => giveUp(`cannot start: ${message}`));
else giveUp('is not built yet: run `npm run build` first.');

function giveUp(why) {
  process.stderr.write(`service-cli ${why}\n`);
  process.exitCode = 2;
}
