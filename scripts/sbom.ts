// Writes the software bill of materials of each public package as CycloneDX, into the folder `sbom`: its dependencies, and the
// packages whose code it contains.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, packages, root } from './packed.ts';
import { capture } from './run.ts';

const output = join(root, 'sbom');
mkdirSync(output, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
const packed = packages.map((name) => ({ short: name, ...pack(name, folder) }));
/** The packed packages, in place of the published ones. */
const overrides = Object.fromEntries(
  packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]),
);
for (const { short, manifest } of packed) {
  const { name, version, dependencies = {} } = manifest;
  const notices = join(root, 'packages', short, 'dist/NOTICES.md');
  const bundled = existsSync(notices) ? readFileSync(notices, 'utf8').matchAll(/^## (\S+) (\S+) \(/gm) : [];
  const project = join(folder, short);
  mkdirSync(project);
  const all = {
    ...Object.fromEntries(
      Object.entries(dependencies).map(([each, range]) => [each, overrides[each] ?? range]),
    ),
    ...Object.fromEntries(Array.from(bundled, ([, each = '', exact = '']) => [each, exact])),
  };
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name, version, dependencies: all, overrides }),
  );
  capture('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], project);
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'library'];
  const text = capture('npm', args, project);
  const { components } = JSON.parse(text) as { readonly components: readonly unknown[] };
  writeFileSync(join(output, `${short}.cdx.json`), text);
  console.log(`sbom/${short}.cdx.json: ${components.length} components`);
}
rmSync(folder, { recursive: true });
