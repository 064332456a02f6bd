// Ends the run if a program of the system that the tests need is missing, with the command that installs all of them.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The Debian packages of the programs. */
const packages: Readonly<Record<string, string>> = {
  'redis-server': 'redis-server',
  nginx: 'nginx-light',
  haproxy: 'haproxy',
  lsof: 'lsof',
  curl: 'curl',
  script: 'bsdutils',
  python3: 'python3',
  go: 'golang-go',
  bash: 'bash',
  zsh: 'zsh',
  fish: 'fish',
};

export function setup(): void {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  const missing = Object.keys(packages).filter(
    (program) => !folders.some((folder) => existsSync(join(folder, program))),
  );
  if (missing.length === 0) return;
  const names = missing.map((program) => packages[program]).join(' ');
  throw new Error(`These tests need ${missing.join(', ')}. On Debian: apt-get install ${names}`);
}
