import { Pool } from 'pg';
import { createClient } from 'redis';

/** Checks whether a Redis responds. */
export async function isRedisUp(url: string): Promise<boolean> {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  await client.connect();
  await client.close();
  return true;
}

/** Checks whether a Postgres responds. */
export async function isPostgresUp(url: string): Promise<boolean> {
  const pool = new Pool({ connectionString: url });
  pool.on('error', () => {});
  try {
    await pool.query('SELECT 1');
    return true;
  } finally {
    await pool.end();
  }
}
