import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Says where a server listens and which headers it wants. */
export interface Address {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Is a server in a process of its own. */
export interface ServerProcess extends Address, Disposable {
  /** Returns the processor time that the server has used, in microseconds. */
  readonly cpu: () => Promise<number>;
}

/** Starts a script of this folder as a server. */
export async function startServer(script: string, argument = ''): Promise<ServerProcess> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), [argument]);
  const ask = async (): Promise<unknown> => {
    const [message] = (await once(child, 'message')) as [unknown];
    return message;
  };
  const address = (await ask()) as Address;
  return {
    ...address,
    cpu() {
      child.send('cpu');
      return ask() as Promise<number>;
    },
    [Symbol.dispose]: () => child.disconnect(),
  };
}

/** Reports from within a server process: its address at once, its processor time when asked; ends with its parent. */
export function reportTo(address: Address): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on('disconnect', () => process.exit());
  process.send?.(address);
}
