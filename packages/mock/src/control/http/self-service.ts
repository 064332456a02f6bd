import { createHmac, timingSafeEqual } from 'node:crypto';
import { isOfAccount } from '../../state/restore.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import type { Snapshot } from '../../state/snapshot.ts';
import type { Route, SandboxParts } from '../operation.ts';
import { ControlError } from './control-error.ts';
import { listFields } from './read-input.ts';
import type { ControlOperation } from './routes.ts';

/** Returns whether the API key of an account can run an operation on that account. */
export function isSelfService(operation: ControlOperation): boolean {
  return operation.checkOwner !== undefined || Object.hasOwn(listFields(operation), 'account');
}

/**
 * Checks that the API key of an account can run an operation.
 *
 * @throws {ControlError}
 */
export function checkSelfService(operation: ControlOperation): void {
  if (isSelfService(operation)) return;
  throw new ControlError(
    'forbidden',
    `An API key controls only its own account, and ${operation.id} is about the whole sandbox. It needs the token of the control API.`,
  );
}

/** A request with the API key of an account. */
interface OwnRequest {
  readonly operation: Pick<Route, 'id' | 'checkOwner'>;
  readonly input: Readonly<Record<string, unknown>>;
  /** The id of the account. */
  readonly account: string;
  /** The token of the control API, which signs snapshots. */
  readonly token: string;
}

/**
 * Limits the fields of an operation to one account.
 *
 * @throws {ControlError} for the id of another account
 * @throws {SandboxError} for other fields that do not belong to the account
 */
export function limitToAccount(
  parts: SandboxParts,
  { operation, input, account, token }: OwnRequest,
): Readonly<Record<string, unknown>> {
  const { checkOwner } = operation;
  if (checkOwner === undefined) return { ...input, account: checkAccount(input.account, account) };
  checkOwner(parts, input, account);
  if (isOfAccount(input)) checkSignature(input, token);
  return input;
}

function checkAccount(given: unknown, account: string): string {
  if (given === undefined || given === account) return account;
  throw new ControlError(
    'forbidden',
    `An API key controls only its own account, ${account}. Leave out \`account\`, or send the token of the control API.`,
  );
}

/** Signs the snapshot of one account, so that the API key of the account can restore it. */
export function signSnapshot(result: unknown, token: string): unknown {
  return isOfAccount(result) ? { ...result, signature: computeSignature(result, token) } : result;
}

/** Rejects edited snapshots: values are not validated in detail, and a wrong time would disturb the timers of all accounts. */
function checkSignature(snapshot: Snapshot, token: string): void {
  const [given, expected] = [String(snapshot.signature), computeSignature(snapshot, token)].map((each) =>
    Buffer.from(each),
  ) as [Buffer, Buffer];
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new SandboxError(
    'invalid_argument',
    'This snapshot was edited, or is not from a control API with this token. With an API key, restore only a snapshot that GET /snapshot has returned.',
  );
}

function computeSignature({ version, state }: Snapshot, token: string): string {
  return createHmac('sha256', token)
    .update(`snapshot ${version}\n${JSON.stringify(state)}`)
    .digest('hex');
}
