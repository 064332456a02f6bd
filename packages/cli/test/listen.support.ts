import { createHmac } from 'node:crypto';
import { events } from '@service/webhooks/testing';
import { keepSecret, type Ran, runCli, type RunOptions } from './support.ts';

export const secret = keepSecret('whsec-9876543210-not-to-be-shown');
export const secretEnv = { SERVICE_WEBHOOK_SECRET: secret };

/** What tests look at in the documents of `webhooks listen --json`. */
export type Shown = {
  result: string;
  event: string | null;
  code?: string;
  signature: string;
  answered: number;
  forwarded?: { status?: number; error?: string };
  hints?: { code: string }[];
  body: string;
};

export type Listening = { url: string; interrupt: () => void };

/** Runs `webhooks listen` for as long as `use` works with it; it is interrupted then, unless it has ended by itself. */
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
      const [, url] = /Listening at (\S+)\. Ctrl\+C ends\./.exec(text) ?? [];
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

/** Delivers a body as the service does, signed with the secret unless another signature is given; '' leaves it out. */
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
export const failed = JSON.stringify(events.failed());
