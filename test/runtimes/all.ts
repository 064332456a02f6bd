import { answers } from './answers.ts';
import type { Case } from './case.ts';
import { creates } from './creates.ts';
import { oldNode, payers } from './payers.ts';
import { servers } from './servers.ts';
import { sockets } from './sockets.ts';
import { statements } from './statements.ts';
import { webhooks } from './webhooks.ts';

/** Behaviors of the packages that every runtime has, except for those in `not-on.ts`. */
export const cases: readonly Case[] = [
  ...sockets,
  ...creates,
  ...payers,
  oldNode,
  ...statements,
  ...webhooks,
  ...answers,
  ...servers,
];
