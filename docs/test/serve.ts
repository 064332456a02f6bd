// Serves the built site, as static hosts do.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { base, dist, findFile } from './site.ts';

/** A running server of the site. */
export interface SiteServer {
  readonly origin: string;
  readonly close: () => Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Serves the site on a free port. */
export async function serveSite(): Promise<SiteServer> {
  const server = createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://site');
    const found = pathname.startsWith(`${base}/`)
      ? findFile(decodeURI(pathname.slice(base.length + 1)))
      : undefined;
    const file = found ?? '404.html';
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
    });
    response.end(readFileSync(join(dist, file)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
