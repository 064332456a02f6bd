// The languages of the tools: required runtimes, and pinned installations in this folder.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execute, formatSeconds, root } from './execute.ts';

export type Ecosystem = 'node' | 'python' | 'go' | 'java';

interface Setup {
  /** Commands that exit with 0 if a runtime is installed, and how to install it. */
  readonly runtimes: Readonly<Record<string, string>>;
  /** Files whose change requires a new installation. */
  readonly manifests: readonly string[];
  readonly install: readonly string[];
}

const setups: Readonly<Record<Ecosystem, Setup>> = {
  node: {
    runtimes: { 'npm --version': 'apt-get install npm' },
    manifests: ['package.json', 'package-lock.json'],
    install: ['npm ci --ignore-scripts'],
  },
  python: {
    runtimes: { 'python3 -m ensurepip --version': 'apt-get install python3-venv' },
    manifests: ['requirements.txt'],
    install: ['python3 -m venv --clear out/venv', 'pip install --quiet --requirement requirements.txt'],
  },
  go: {
    // An older Go cannot read go.mod.
    runtimes: { 'go list -m': 'install the Go version of go.mod or later' },
    manifests: ['go.mod', 'go.sum'],
    install: ['go install tool'],
  },
  java: {
    runtimes: {
      'javac --version': 'apt-get install default-jdk',
      'mvn --version': 'apt-get install maven',
    },
    manifests: ['pom.xml'],
    install: [
      'rm -rf out/jars',
      'mvn -q -B -Dmaven.repo.local=out/maven dependency:copy-dependencies -DoutputDirectory=out/jars',
    ],
  },
};

/** Returns how to install the missing runtimes. */
export async function findMissing(names: readonly Ecosystem[]): Promise<string[]> {
  const runtimes = names.flatMap((name) => Object.entries(setups[name].runtimes));
  const missing = runtimes.map(([command, hint]) =>
    execute(command).then(
      () => [],
      () => [`The command "${command}" failed. To install the runtime: ${hint}`],
    ),
  );
  return (await Promise.all(missing)).flat();
}

/** Installs the tools of an ecosystem, unless their pinned versions are installed. */
export async function install(name: Ecosystem): Promise<void> {
  const { manifests, install: commands } = setups[name];
  const stamp = join(root, 'out/installed', name);
  const pinned = manifests.map((file) => readFileSync(join(root, file), 'utf8')).join('');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pinned) return;
  const startedAt = performance.now();
  rmSync(stamp, { force: true });
  for (const command of commands) await execute(command);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, pinned);
  console.log(`Installed the ${name} tools in ${formatSeconds(startedAt)} s.`);
}
