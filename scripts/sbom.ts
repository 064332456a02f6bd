// Writes the software bill of materials of each public package as CycloneDX, into the folder `sbom`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, packages, type Packed, root } from './packed.ts';
import { capture } from './run.ts';

const output = join(root, 'sbom');
mkdirSync(output, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
const packed = packages.map((name) => pack(name, folder));
/** The packed packages, in place of the published ones. */
const overrides = Object.fromEntries(
  packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]),
);
for (const each of packed) writeBill(each);
rmSync(folder, { recursive: true });

function writeBill({ manifest: { name, version, dependencies = {} } }: Packed): void {
  const short = name.replace('@service/', '');
  const project = join(folder, short);
  mkdirSync(project);
  const found = Object.entries(dependencies).map(([each, range]) => [each, overrides[each] ?? range]);
  const manifest = { name, version, dependencies: Object.fromEntries(found), overrides };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  capture('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], project);
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'library'];
  const text = capture('npm', args, project);
  const { components } = JSON.parse(text) as { readonly components: readonly { readonly name: string }[] };
  writeFileSync(join(output, `${short}.cdx.json`), text);
  console.log(
    `sbom/${short}.cdx.json: ${components.map((component) => component.name).join(', ') || 'no dependency'}`,
  );
}
