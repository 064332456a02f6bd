import {
  type Engine,
  findPostgres,
  findRedis,
  startPostgres,
  startRedis,
} from '../../../packages/webhooks/test/stores/servers.ts';

/** Starts the database of a kind of store. Other stores need none. */
export async function startDatabase(store: string): Promise<Engine | undefined> {
  if (store === 'postgres') return startPostgres(findPostgres());
  // A write that Redis has acknowledged must survive its end.
  return store === 'redis'
    ? startRedis(findRedis(), { appendonly: 'yes', appendfsync: 'always' })
    : undefined;
}
