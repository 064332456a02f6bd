// The surroundings of a user in a new folder: a registry with the packed packages, and an environment without those of this repository.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, delimiter } from 'node:path';
import { listenAtFreePort } from '../test/support/listen.ts';
import type { Packed } from './packed.ts';

/** Returns the environment of a user: no programs and settings of this repository, and a version of Node. */
export function createEnvironment(node: string): NodeJS.ProcessEnv {
  const own =
    /^npm_(?!config_(?:registry|cache|userconfig)$)|^(?:INIT_CWD|NODE_ENV|NODE_OPTIONS|SERVICE_\w+)$/i;
  const variables = Object.entries(process.env).filter(([name]) => !own.test(name));
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((path) => !path.includes('node_modules'));
  const PATH = [node, ...folders].join(delimiter);
  return { ...Object.fromEntries(variables), PATH, NEXT_TELEMETRY_DISABLED: '1' };
}

export interface Registry {
  readonly url: string;
  readonly close: () => void;
}

/** Serves the tarballs as the registry of the scope `@service`, so that a project installs them unchanged. */
export async function serveRegistry(packed: readonly Packed[]): Promise<Registry> {
  // The cache of npm can have the packages of an earlier registry on the same port.
  const base = `/${randomUUID()}`;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').replace(base, '');
    const tarball = packed.find((each) => path === `/${basename(each.tarball)}`)?.tarball;
    if (tarball !== undefined) return response.end(readFileSync(tarball));
    const found = packed.find(({ manifest }) => path === `/${manifest.name}`);
    if (found === undefined) return response.writeHead(404).end();
    const { manifest, integrity } = found;
    const dist = { tarball: `http://${request.headers.host}${base}/${basename(found.tarball)}`, integrity };
    const versions = { [manifest.version]: { ...manifest, dist } };
    return response.end(
      JSON.stringify({ name: manifest.name, 'dist-tags': { latest: manifest.version }, versions }),
    );
  });
  const port = await listenAtFreePort(server);
  return { url: `http://127.0.0.1:${port}${base}/`, close: () => server.close() };
}
