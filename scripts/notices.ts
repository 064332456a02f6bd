// The licenses of the npm packages whose code is in a bundle: `dist/NOTICES.md` of each package.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';

/** The pages of the mock, which are text in its bundle. */
const pages = join(import.meta.dirname, '../packages/dashboard/dist');

/** Returns the section of an installed package. */
function formatNotice(folder: string): string {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(manifest) as Readonly<Record<string, string>>;
  const [file] = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: folder });
  if (file === undefined) throw new Error(`${folder} has no license text, and its code is in a bundle.`);
  return `## ${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}

/** Returns the sections of the packages whose code is in the output of a bundle, also inside of the pages of the mock. */
function listNotices({ outputs }: Metafile): string[] {
  const inputs = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? resolve(path) : [],
    ),
  );
  const folders = inputs.flatMap(
    (path) => /.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path) ?? [],
  );
  const ofPages = inputs.some((path) => path.startsWith(pages))
    ? readFileSync(join(pages, 'NOTICES.md'), 'utf8')
    : '';
  return [...[...new Set(folders)].map(formatNotice), ...ofPages.split(/^(?=## )/m).slice(1)];
}

/** Creates a plugin that adds the notices of its builds to a file. */
export function createNotices(file: string): Plugin {
  const found = new Set<string>();
  return {
    name: 'notices',
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(({ metafile }) => {
        for (const notice of metafile === undefined ? [] : listNotices(metafile)) found.add(notice);
        if (found.size === 0) return;
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, `# Third-party code in this package\n\n${[...found].toSorted().join('\n')}`);
      });
    },
  };
}
