import { type Access, checkLocal } from './access.ts';
import { ControlError } from './control-error.ts';
import type { MockRequest, MockResponse } from '../../http/request.ts';

const PAGES = '/_sandbox/ui';

/** Only files of this origin, and no frame: a page of another site must not show or script the dashboard. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const securityHeaders = {
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/** Returns whether a path belongs to the dashboard. */
export function isPagePath(path: string): boolean {
  return path === '/' || path === PAGES || path.startsWith(`${PAGES}/`);
}

/**
 * Serves the files of the dashboard, which contain no data.
 *
 * @throws {ControlError}
 */
export async function servePage(access: Access, request: MockRequest): Promise<MockResponse> {
  const { method, path } = request;
  // With a token the files are open: the page asks for it. Without one, the Host and Origin rules apply.
  if (access.token === null) checkLocal(request);
  // Loaded with the first page, so that a mock without a dashboard does not contain it.
  const { files } = await import('@service/dashboard/assets');
  const name = path === '/' || path === PAGES ? 'index.html' : path.slice(PAGES.length + 1);
  // A name of the prototype of every object is not a file.
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined || !['GET', 'HEAD'].includes(method))
    throw new ControlError('not_found', `The dashboard is at ${PAGES}.`);
  // Relative addresses, because a proxy can serve the mock below a path of its own.
  const body = file.body.replaceAll(`${PAGES}/`, path === '/' ? '_sandbox/ui/' : 'ui/');
  return { status: 200, headers: { ...securityHeaders, 'Content-Type': file.type }, body };
}
