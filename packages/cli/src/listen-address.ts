import { type Command, InvalidArgumentError } from 'commander';
import { parseWhole } from './parse.ts';

/** Adds the options for the address on which a command listens. */
export function addListenAddress(command: Command, port: number, purpose = 'port to listen on'): Command {
  return command
    .option('--port <port>', `${purpose}; 0 for any free port`, parseWhole(0, 65_535), port)
    .option('--host <address>', 'address to listen on', parseHost, '127.0.0.1');
}

function parseHost(text: string): string {
  // Node listens on all addresses for an empty host, such as an unset variable.
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError(
    'Write an address, such as 127.0.0.1, or 0.0.0.0 for all addresses of this machine.',
  );
}
