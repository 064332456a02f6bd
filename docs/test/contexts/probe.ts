// The surroundings of the code blocks of the probe.
import { mock } from './common.ts';

export * from './common.ts';
export { probe } from '@service/probe';
export { listenForWebhooks } from '@service/probe/node';

/** A mock without a network. */
export const connection = { apiKey: mock.account.testKey, baseUrl: mock.baseUrl, fetch: mock.fetch };

export const Deno = {
  serve: (
    _options: { port: number },
    _handler: (request: Request) => Promise<Response>,
  ): { shutdown(): Promise<void> } => ({ shutdown: async () => {} }),
};
