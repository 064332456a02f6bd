import * as z from 'zod/mini';
import {
  amount,
  accountMode,
  currency,
  account as accountId,
  fields,
  mode,
  described,
  text,
} from '../fields.ts';
import { type ControlOperation, defineOperation, defineEmptyOperation } from '../operation.ts';
import { profileChoice } from '../profile-fields.ts';
import { account, accountSummary, listOf } from '../shapes.ts';

const id = { account: accountId };
const balances = described('an object such as { "USD": \'1000.00\' }', (message) =>
  z.record(z.string(), amount, message),
);
const walletAmount = fields({ ...accountMode, currency, amount });

/** Operations on accounts, API keys and wallets. */
export const accountOperations: readonly ControlOperation[] = [
  defineOperation({
    id: 'createAccount',
    method: 'POST',
    path: '/accounts',
    summary: 'Create an isolated account',
    input: fields({
      name: z.exactOptional(text('text that is unique among account names')),
      balances: z.exactOptional(balances),
      profile: z.exactOptional(profileChoice),
    }),
    output: account,
    status: 201,
    run: (sandbox, input) => sandbox.accounts.create(input),
  }),
  defineOperation({
    id: 'listAccounts',
    method: 'GET',
    path: '/accounts',
    summary: 'List all accounts, without their keys',
    input: fields({}),
    output: z.object({ accounts: listOf(accountSummary) }),
    run: (sandbox) => ({ accounts: sandbox.accounts.list() }),
  }),
  defineOperation({
    id: 'findAccount',
    method: 'POST',
    path: '/accounts/find',
    summary: 'Find the account of a key; with the policy open, an unused test key opens one',
    input: fields({ key: text('an API key') }),
    output: account,
    run: (sandbox, input) => sandbox.accounts.find(input),
  }),
  defineOperation({
    id: 'getAccount',
    method: 'GET',
    path: '/accounts/{account}',
    summary: 'Get an account and its keys',
    input: fields(id),
    output: account,
    run: (sandbox, input) => sandbox.accounts.get(input.account),
  }),
  defineOperation({
    id: 'regenerateKey',
    method: 'POST',
    path: '/accounts/{account}/regenerate-key',
    summary: 'Replace an API key; the old one becomes invalid immediately',
    input: fields({ ...id, mode: z.exactOptional(mode) }),
    output: account,
    run: (sandbox, input) => sandbox.accounts.regenerateKey(input),
  }),
  defineEmptyOperation({
    id: 'suspendAccount',
    method: 'POST',
    path: '/accounts/{account}/suspend',
    summary: 'Suspend an account: every request responds 403 until it is resumed',
    input: fields(id),
    run: (sandbox, input) => sandbox.accounts.suspend(input.account),
  }),
  defineEmptyOperation({
    id: 'resumeAccount',
    method: 'POST',
    path: '/accounts/{account}/resume',
    summary: 'End the suspension of an account',
    input: fields(id),
    run: (sandbox, input) => sandbox.accounts.resume(input.account),
  }),
  defineEmptyOperation({
    id: 'creditWallet',
    method: 'POST',
    path: '/wallets/credit',
    summary: 'Deposit an amount above 0, as a deposit transaction',
    input: walletAmount,
    run: (sandbox, input) => sandbox.wallets.credit(input),
  }),
  defineEmptyOperation({
    id: 'setWallet',
    method: 'POST',
    path: '/wallets/set',
    summary: 'Set a balance, with an adjustment transaction for the difference',
    input: walletAmount,
    run: (sandbox, input) => sandbox.wallets.set(input),
  }),
];
