import { SandboxError } from '../world/sandbox-error.ts';

/** Checks that an endpoint's address is one that the sandbox delivers to: http or https, on this machine (contract.md 5). */
export function checkEndpointUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw refuseUrl(text, 'write an absolute http or https address');
  }
  if (url.username !== '' || url.password !== '')
    throw refuseUrl(url.origin, 'leave user name and password out');
  if (!isLoopback(url.hostname)) {
    throw refuseUrl(url.origin, 'the sandbox delivers to this machine only: localhost, 127.0.0.0/8 or [::1]');
  }
  return url.href;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function refuseUrl(shown: string, why: string): SandboxError {
  return new SandboxError(
    'invalid_argument',
    `${JSON.stringify(shown)} cannot be a webhook endpoint: ${why}.`,
  );
}
