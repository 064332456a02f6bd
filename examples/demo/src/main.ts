// The whole way of a payment over real HTTP, told as it happens. Ends with 1 when anything is off.
import { createAccount } from './account.ts';
import { setStage } from './stage.ts';
import { beRefused, failAndRefund, forge, pay, reconcile } from './story.ts';

const account = createAccount((line) => process.stdout.write(`${line}\n`));
await using stage = await setStage();
account.say(`the service listens at ${stage.baseUrl}`);
account.say(`webhooks are received at ${stage.hooksUrl}`);
for (const scene of [pay, failAndRefund, beRefused, forge, reconcile]) await scene(stage, account);

account.chapter(
  account.failures === 0 ? 'All of it as it should be.' : `${account.failures} of it NOT as it should be.`,
);
process.exitCode = account.failures === 0 ? 0 : 1;
