import { accountRoutes, accounts } from '../operations/accounts.ts';
import { clock, clockRoutes } from '../operations/clock.ts';
import { endpointRoutes } from '../operations/endpoint.ts';
import { faultRoutes, faults } from '../operations/faults.ts';
import { paymentRoutes, payments } from '../operations/payments.ts';
import { profile, profileRoutes } from '../operations/profile.ts';
import { rateLimit, rateLimitRoutes } from '../operations/rate-limit.ts';
import { requestRoutes, requests } from '../operations/requests.ts';
import { server } from '../operations/server.ts';
import { state, stateRoutes } from '../operations/state.ts';
import { views } from '../operations/views.ts';
import { walletRoutes, wallets } from '../operations/wallets.ts';
import { webhookRoutes, webhooks } from '../operations/webhooks.ts';
import type { Group, Operation, Route, Routes } from '../operation.ts';

/** An operation of the control API. */
export type ControlOperation = Operation & Route;

type ControlGroup = Readonly<Record<string, ControlOperation>>;

/** The operations of the control API by group. The functions of `state` are functions of the sandbox itself. */
export const controlGroups: Readonly<Record<string, ControlGroup>> = {
  server,
  state: addRoutes(state, stateRoutes),
  clock: addRoutes(clock, clockRoutes),
  accounts: addRoutes(accounts, accountRoutes),
  wallets: addRoutes(wallets, walletRoutes),
  payments: addRoutes(payments, paymentRoutes),
  profile: addRoutes(profile, profileRoutes),
  webhooks: addRoutes(webhooks, { ...endpointRoutes, ...webhookRoutes }),
  faults: addRoutes(faults, faultRoutes),
  rateLimit: addRoutes(rateLimit, rateLimitRoutes),
  requests: addRoutes(requests, requestRoutes),
  views,
};

function addRoutes<Control>(group: Group<Control>, routes: Routes<Control>): ControlGroup {
  const operations = Object.entries<object>(group).map(([name, operation]) => [
    name,
    { ...operation, ...routes[name as keyof Control] },
  ]);
  return Object.fromEntries(operations) as ControlGroup;
}
