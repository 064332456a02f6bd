// waitFor after 25 creates, and `service-cli pay --wait`, with 0.5, 2 and 5 s of read lag. Prints the delays between the
// visible final status and the result.
import { spawn } from 'node:child_process';
import { createClient } from '@service/sdk';
import { type Service, startService } from '../../test/services/fastify/service.ts';

const LAGS = [500, 2000, 5000];
const PAYMENTS = 25;
const order = { from_currency: 'USD', to_currency: 'EUR', amount: '10.00', beneficiary_name: 'Alder Ltd' };

/** Returns the milliseconds since the final status of a payment became visible. */
function sinceVisible({ ledger, readLag }: Service, id: string): number {
  const row = ledger.payments.find((payment) => payment.id === id);
  return Date.now() - (row?.history.at(-1)?.at ?? Number.NaN) - readLag;
}

async function waitForAll(service: Service): Promise<{ delays: number[]; failed: number }> {
  const { payments } = createClient({ apiKey: service.apiKey, baseUrl: service.baseUrl });
  const delays = await Promise.all(
    Array.from({ length: PAYMENTS }, async () => {
      const { id } = await payments.create(order);
      const { status } = await payments.waitFor(id);
      return status === 'completed' ? sinceVisible(service, id) : Number.NaN;
    }).map((delay) => delay.catch(() => Number.NaN)),
  );
  return {
    delays: delays.filter((delay) => !Number.isNaN(delay)),
    failed: delays.filter(Number.isNaN).length,
  };
}

/** Runs `service-cli pay --wait` and returns its exit code. */
async function payByCommandLine({ apiKey, baseUrl }: Service): Promise<number | null> {
  const main = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;
  const args = [...process.execArgv, main, 'pay', 'USD', 'EUR', '10.00', '--name', 'Alder Ltd', '--wait'];
  const env = { ...process.env, SERVICE_API_KEY: apiKey, SERVICE_BASE_URL: baseUrl };
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
  return new Promise((resolve) => child.once('close', resolve));
}

const rows: Record<string, object> = {};
for (const readLag of LAGS) {
  const service = await startService({ readLag });
  service.ledger.topUp('USD', 1_000_000_00);
  const { delays, failed } = await waitForAll(service);
  const exitCode = await payByCommandLine(service);
  await service.stop();
  const average = Math.round(delays.reduce((sum, delay) => sum + delay, 0) / delays.length);
  rows[`${readLag} ms`] = {
    completed: delays.length,
    failed,
    'average delay in ms': average,
    'longest delay in ms': Math.max(...delays),
    'exit code of pay --wait': exitCode,
  };
  if (failed > 0 || exitCode !== 0) process.exitCode = 1;
}
console.table(rows);
