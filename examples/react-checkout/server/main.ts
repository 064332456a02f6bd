import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { createBackend } from './backend.ts';

const { SERVICE_API_KEY: apiKey, SERVICE_BASE_URL: baseUrl, PORT = '3000' } = process.env;
if (!apiKey || !baseUrl) throw new Error('Set SERVICE_API_KEY and SERVICE_BASE_URL.');

const app = createBackend({ apiKey, baseUrl });
app.get('*', serveStatic({ root: 'dist' }));
serve({ fetch: app.fetch, port: Number(PORT) }, () => console.info(`http://localhost:${PORT}`));
