// The names that the examples of doc comments use and do not declare.
import type * as mockPackage from '@service/mock';
import type * as sdk from '@service/sdk';
import type * as payers from '@service/sdk/payer';
import type { sqliteStore as SqliteStore } from '@service/sdk/payer/sqlite';
import type { PostgresConnection } from '@service/sdk/payer/postgres';
import type * as webhooks from '@service/webhooks';
import type { events as Events } from '@service/webhooks/testing';
import type * as probePackage from '@service/probe';
import type { listenForWebhooks as ListenForWebhooks } from '@service/probe/node';
import type { Express } from 'express';
import type { FastifyInstance } from 'fastify';
import type { Hono } from 'hono';
import type { setupServer as SetupServer } from 'msw/node';
import type { createServer as CreateServer } from 'node:http';
import type { defineConfig as DefineConfig } from 'vite';
import type { test as VitestTest } from 'vitest';

declare global {
  const createClient: typeof sdk.createClient;
  const PaymentOutcomeUnknownError: typeof sdk.PaymentOutcomeUnknownError;
  const ServiceError: typeof sdk.ServiceError;
  const WaitTimeoutError: typeof sdk.WaitTimeoutError;
  const client: sdk.Client;
  const apiKey: string;
  const baseUrl: string;
  const id: string;
  const body: sdk.PaymentInput & sdk.QuoteInput;
  const order: sdk.PaymentInput;
  const error: unknown;
  const controller: AbortController;
  const traceparent: string;
  const metrics: {
    record(status: number, duration: number): void;
    count(name: string): void;
  };
  const log: (message: string) => void;

  const sqliteStore: typeof SqliteStore;
  const store: payers.IntentStore;
  const payer: payers.Payer;
  const Pool: new (options: { readonly connectionString: string }) => PostgresConnection;
  const connectionString: string;

  const createReceiver: typeof webhooks.createReceiver;
  type WebhookEvent = webhooks.WebhookEvent;
  const receive: webhooks.Receiver;
  const secret: string;
  const on: webhooks.Handlers;
  const events: typeof Events;
  const app: Pick<Express, 'all'> & Pick<Hono, 'all'> & Pick<FastifyInstance, 'register'>;
  const request: Request;
  const rawBody: Uint8Array;
  const env: { readonly SERVICE_WEBHOOK_SECRET: string };
  const markPaid: (id: string) => Promise<void>;
  const markFailed: (id: string) => Promise<void>;
  const createServer: typeof CreateServer;

  const createMock: typeof mockPackage.createMock;
  const mock: mockPackage.Mock;
  const sandbox: mockPackage.Sandbox;
  const account: mockPackage.AccountView;
  const setupServer: typeof SetupServer;
  const base: typeof VitestTest;
  const test: (name: string, run: () => Promise<void>) => void;
  const defineConfig: typeof DefineConfig;

  const probe: typeof probePackage.probe;
  const listenForWebhooks: typeof ListenForWebhooks;
  const connection: probePackage.ProbeConnection;
  const findings: readonly probePackage.Finding[];
  const saved: string;
}
