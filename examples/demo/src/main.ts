// Runs payments, webhooks and a reconciliation over real HTTP. Exits with 1 if a check fails.
import { startEnvironment } from './environment.ts';
import { createReport } from './report.ts';
import {
  failAndRefund,
  pay,
  receiveForgedWebhook,
  reconcileBalances,
  sendRejectedRequests,
} from './steps.ts';

const report = createReport((line) => process.stdout.write(`${line}\n`));
await using environment = await startEnvironment();
report.note(`service: ${environment.baseUrl}`);
report.note(`webhook endpoint: ${environment.webhookUrl}`);
for (const step of [pay, failAndRefund, sendRejectedRequests, receiveForgedWebhook, reconcileBalances])
  await step(environment, report);

report.section(report.failures === 0 ? 'All checks passed.' : `${report.failures} checks FAILED.`);
process.exitCode = report.failures === 0 ? 0 : 1;
