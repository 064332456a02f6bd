import { createHmac } from 'node:crypto';
import { events } from '@service/webhooks/testing';
import { keepSecret, type Ran, runCli, type RunOptions } from './support.ts';

export const secret = keepSecret('whsec-9876543210-not-to-be-shown');
export const secretEnv = { SERVICE_WEBHOOK_SECRET: secret };

/** The fields of `webhooks listen --json` that tests check. */
export interface Shown {
  result: string;
  event: string | null;
  code?: string;
  signature: string;
  answered: number;
  forwarded?: { status?: number; error?: string };
  hints?: { code: string }[];
  body: string;
}

export interface Listening {
  url: string;
  interrupt: () => void;
}

/** Runs `webhooks listen` while `use` runs, then interrupts it if it has not ended. */
export async function withListener(
  argv: string[],
  options: RunOptions,
  use: (listening: Listening) => Promise<void>,
): Promise<Ran & { shown: Shown[] }> {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort('SIGINT');
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  const running = runCli(['webhooks', 'listen', '--port', '0', ...argv], {
    env: secretEnv,
    signal: controller.signal,
    ...options,
    onStderr: (text) => {
      options.onStderr?.(text);
      const [, url] = /Listening on (\S+)\. Press Ctrl\+C to stop\./.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    },
  });
  void running.then(({ stderr }) => reject(new Error(stderr)));
  try {
    await use({ url: await ready, interrupt });
  } finally {
    interrupt();
  }
  const ran = await running;
  return { ...ran, shown: ran.documents as unknown as Shown[] };
}

export function signBody(body: string | Uint8Array, key = secret): string {
  return createHmac('sha256', key).update(body).digest('hex');
}

/** Sends a webhook. The default signature is valid; '' sends none. */
export async function deliver(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  signature: string | undefined = signBody(body),
): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(signature !== '' && { 'x-service-signature': signature }),
  };
  return fetch(url, { method: 'POST', body, headers });
}

export const completed = JSON.stringify(events.completed());
export const pending = JSON.stringify(events.pending());
