import { createHmac, timingSafeEqual } from 'node:crypto';
import { isOfAccount } from '../../state/restore.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import type { Snapshot } from '../../state/snapshot.ts';
import { registeredJson } from '../../domain/schema.ts';
import type { Context } from '../context.ts';
import type { Operation } from '../operation.ts';
import type { KeyAccess } from './access.ts';
import { ControlError } from './control-error.ts';
import { listFields } from './read-input.ts';

/** Returns whether the API key of an account can run an operation on that account. */
export function isSelfService(operation: Operation): boolean {
  return operation.checkOwner !== undefined || Object.hasOwn(listFields(operation), 'account');
}

/**
 * Checks that the API key of an account can run an operation.
 *
 * @throws {ControlError}
 */
export function checkSelfService(operation: Operation, token: string | null): void {
  if (isSelfService(operation)) return;
  const remedy = token === null ? 'Leave out the key.' : 'It needs the token of the control API.';
  throw new ControlError(
    'forbidden',
    `An API key controls only its own account, and ${operation.id} is about the whole sandbox. ${remedy}`,
  );
}

/** A request with the API key of an account. */
interface OwnRequest {
  readonly operation: Operation;
  readonly input: Readonly<Record<string, unknown>>;
  readonly key: KeyAccess;
  /** The token of the control API, which signs snapshots, or null without one. */
  readonly token: string | null;
}

/**
 * Limits the fields of an operation to the account of a key, or selects that account and its mode where one is left out.
 *
 * @throws {ControlError} for the id of another account
 * @throws {SandboxError} for other fields that do not belong to the account
 */
export function applyKey(
  parts: Context,
  { operation, input, key: { account, mode, isLimited }, token }: OwnRequest,
): Readonly<Record<string, unknown>> {
  const { checkOwner } = operation;
  const fields = listFields(operation);
  // Without an account, other operations are about all accounts.
  const isOfOne = fields['account'] !== undefined && registeredJson(fields['account'])['x-default'] !== 'all';
  const isSelected = isOfOne && input.account === undefined;
  const own = isSelected ? { account, ...(fields.mode !== undefined && { mode }), ...input } : input;
  if (!isLimited) return own;
  if (checkOwner === undefined) return { ...own, account: checkAccount(input.account, account) };
  checkOwner(parts, input, account);
  if (token !== null && isOfAccount(input)) checkSignature(input, token);
  return input;
}

function checkAccount(given: unknown, account: string): string {
  if (given === undefined || given === account) return account;
  throw new ControlError(
    'forbidden',
    `An API key controls only its own account, ${account}. Leave out \`account\` or the key.`,
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
