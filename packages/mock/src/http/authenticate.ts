import type { Refusal } from '@service/internal';
import { findCaller } from '../state/accounts.ts';
import type { Caller, State } from '../state/state.ts';
import { HttpError } from './errors.ts';
import type { MockRequest } from './request.ts';

/**
 * Returns the account and mode of the API key (docs/contract.md#authentication). With the policy `open`, a
 * well-formed test key that was never used opens an account.
 *
 * @throws {HttpError} for a missing or unknown key
 */
export function authenticate(state: State, request: MockRequest): Caller {
  const { bothKeys } = state.profile;
  const bearer = readBearer(request.header('authorization'));
  const named = request.header('x-api-key') ?? undefined;
  if (bothKeys === 'reject' && bearer !== undefined && named !== undefined && bearer !== named)
    throw unauthenticated('Two different API keys were sent.');
  const key = bothKeys === 'apiKey' ? (named ?? bearer) : (bearer ?? named);
  if (key === undefined || key === '')
    throw unauthenticated(
      'The API key is missing; send it as `Authorization: Bearer <API key>`.',
      'missing_key',
    );
  const other = bothKeys === 'either' ? named : undefined;
  const caller = findCaller(state, key) ?? (other === undefined ? undefined : findCaller(state, other));
  if (caller === undefined) throw unauthenticated('The API key is not valid.');
  return caller;
}

function readBearer(header: string | null): string | undefined {
  if (header === null) return undefined;
  const match = /^bearer(?: +(.*))?$/i.exec(header.trim());
  if (match === null) throw unauthenticated('The Authorization header must be `Bearer <API key>`.');
  return match[1] ?? '';
}

function unauthenticated(message: string, refusal: Refusal = 'authentication'): HttpError {
  return new HttpError(
    { type: 'authentication_error', message, refusal },
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  );
}
