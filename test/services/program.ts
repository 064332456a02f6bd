import { parseArgs } from 'node:util';

/** Command line of a reference service: `node test/services/nest-tiers/server.ts --port 0 --speed 4`. */
export interface ProgramOptions {
  /** Port to listen on; 0 for any free port. */
  readonly port: number;
  /** Webhook endpoint of the account, if there is one. */
  readonly webhookUrl: string | undefined;
  /** Factor by which every duration of the service is shorter. */
  readonly speed: number;
  /** Seed of ids, durations and other random choices. */
  readonly seed: number;
}

/** The line that a reference service prints when it is ready, as JSON. */
export interface ProgramAddress {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** A payment of another account. */
  readonly foreignPayment: string;
}

export function readProgramOptions(): ProgramOptions {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      'webhook-url': { type: 'string' },
      speed: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
    },
  });
  return {
    port: Number(values.port),
    webhookUrl: values['webhook-url'],
    speed: Number(values.speed),
    seed: Number(values.seed),
  };
}

export function printAddress(address: ProgramAddress): void {
  process.stdout.write(`${JSON.stringify(address)}\n`);
}
