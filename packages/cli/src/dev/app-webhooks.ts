import type { RunClock } from '@service/internal';
import { findAppPort } from './app-port.ts';

/** The webhooks of an app whose port becomes known while it runs. */
export interface AppWebhooks {
  /** The URL of the endpoint at the start. It has no port if the port is still unknown. */
  readonly url: string;
  /** Sends a webhook. One to the app waits until the app listens. */
  readonly send: (request: Request) => Promise<Response>;
  /** Resolves when the URL of the app is known, or waiting ends. */
  readonly locate: () => Promise<void>;
}

/** The options of `createAppWebhooks`. */
export interface AppWebhooksOptions {
  /** The path of the app's webhook route. */
  readonly path: string;
  /** The port of the app. Without one, the app has the lowest port that its processes listen on. */
  readonly port: number | undefined;
  /** Returns the process group of the app. Undefined before it has started. */
  readonly group: () => number | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: RunClock;
  /** Called when the URL of the app becomes known, or changes. */
  readonly onUrl: (url: string) => void;
  /** Called after each attempt. */
  readonly onAttempt: (attempt: WebhookAttempt) => void;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
}

/** One attempt to send a webhook. */
export interface WebhookAttempt {
  readonly url: string;
  readonly body: string;
  /** The status of the response. Undefined without a response. */
  readonly status: number | undefined;
  /** Milliseconds from the first byte of the request to the response. */
  readonly duration: number;
}

/** Creates the sender of webhooks to an app. */
export function createAppWebhooks(options: AppWebhooksOptions): AppWebhooks {
  const { path, onUrl } = options;
  let { port } = options;
  const toUrl = (): string => new URL(path, `http://localhost:${port ?? ''}`).href;
  const firstUrl = toUrl();
  const locate = async (signal: AbortSignal): Promise<void> => {
    const isFixed = options.port !== undefined;
    const found = await findAppPort({ ...options, known: port, isFixed }, signal);
    if (found === undefined || found === port) return;
    port = found;
    onUrl(toUrl());
  };
  const send = async (request: Request): Promise<Response> => {
    // A reset of the sandbox restores the first URL.
    const isToApp = request.url === toUrl() || request.url === firstUrl;
    if (!isToApp) return sendOnce(request, request.url, options);
    const signal = AbortSignal.any([request.signal, options.signal]);
    await locate(signal);
    signal.throwIfAborted();
    return sendOnce(request, toUrl(), options);
  };
  return { url: firstUrl, send, locate: () => locate(options.signal) };
}

/** Sends a webhook to a URL. */
async function sendOnce(
  request: Request,
  url: string,
  { fetch, clock, onAttempt, signal }: AppWebhooksOptions,
): Promise<Response> {
  const { method, headers, redirect, signal: ended } = request;
  const body = await request.arrayBuffer();
  const startedAt = clock.now();
  const report = (status?: number): void =>
    onAttempt({ url, body: new TextDecoder().decode(body), status, duration: clock.now() - startedAt });
  try {
    // With the body of a `Request`, a stream, fetch sends chunks, which `http.server` of Python does not read.
    const response = await fetch(new Request(url, { method, headers, redirect, signal: ended, body }));
    report(response.status);
    return response;
  } catch (error) {
    if (!signal.aborted) report();
    throw error;
  }
}
