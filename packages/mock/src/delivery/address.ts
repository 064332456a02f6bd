import { SandboxError } from '../world/sandbox-error.ts';

/**
 * Checks that an endpoint's address is one that the sandbox delivers to: http or https, on this machine (contract.md 5).
 * Throws `SandboxError`, which shows the address only where it can hold no password.
 */
export function checkEndpointUrl(text: string): string {
  if (!URL.canParse(text)) throw refuseUrl('This', 'write an absolute http or https address');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw refuseUrl('This', 'leave user name and password out');
  if (!['http:', 'https:'].includes(url.protocol))
    throw refuseUrl(url.href, 'write an http or https address');
  if (!isLoopback(url.hostname)) {
    throw refuseUrl(url.origin, 'the sandbox delivers to this machine only: localhost, 127.0.0.0/8 or [::1]');
  }
  return url.href;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function refuseUrl(shown: string, why: string): SandboxError {
  return new SandboxError('invalid_argument', `${shown} cannot be a webhook endpoint: ${why}.`);
}
