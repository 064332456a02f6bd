#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 13))
  giveUp(
    `needs Node 22.13 or later; this is ${process.version}. ` +
      'Install a later Node, or run the mock in your tests with @service/mock.',
  );
else await start();

async function start() {
  // Not imported: an import loads every export of a module.
  const { existsSync } = process.getBuiltinModule('node:fs');
  const main = new URL('../dist/main.js', import.meta.url);
  if (!existsSync(main)) return giveUp('is not built yet: run `npm run build` first.');
  // Later starts take a third less time.
  process.getBuiltinModule('node:module').enableCompileCache();
  await import(main).catch(({ message }) => giveUp(`cannot start: ${message}`));
}

function giveUp(why) {
  process.stderr.write(`service-cli ${why}\n`);
  process.exitCode = 2;
}
