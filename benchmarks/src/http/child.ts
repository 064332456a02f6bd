import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The port of a server, and the headers that its requests need. */
export interface Address {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A server in a child process. */
export interface ServerProcess extends Address, Disposable {
  /** Returns the CPU time of the server, in microseconds. */
  readonly cpu: () => Promise<number>;
}

/** Starts a script of this folder as a server in a child process. */
export async function startServer(script: string, argument = ''): Promise<ServerProcess> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), [argument]);
  const receiveMessage = async (): Promise<unknown> => {
    const [message] = (await once(child, 'message')) as [unknown];
    return message;
  };
  const address = (await receiveMessage()) as Address;
  return {
    ...address,
    cpu() {
      child.send('cpu');
      return receiveMessage() as Promise<number>;
    },
    [Symbol.dispose]: () => child.disconnect(),
  };
}

/** Sends the address of a server to its parent process, and the CPU time on request. Exits with the parent. */
export function reportTo(address: Address): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on('disconnect', () => process.exit());
  process.send?.(address);
}
