import type { Command } from 'commander';
import type { Environment } from './environment.ts';
import type { ExitCode } from './exit-code.ts';
import type { Output } from './output.ts';

/** Lists the options that every command takes. */
export type GlobalOptions = {
  readonly keyFile?: string;
  readonly key?: string;
  readonly baseUrl?: string;
  readonly allowInsecureHttp?: true;
};

/** Holds what a command works with. */
export type Session = {
  readonly environment: Environment;
  readonly output: Output;
  /** Returns the options that every command takes, once the arguments are parsed. */
  readonly globals: () => GlobalOptions;
};

/** Holds the arguments and options of a command as they were parsed. */
export type Input<Args extends readonly unknown[], Options = object> = {
  readonly args: Args;
  readonly options: Options;
};

/** Does what a command is for, and returns how it ended. */
export type Handler<Args extends readonly unknown[], Options> = (
  session: Session,
  input: Input<Args, Options>,
) => Promise<ExitCode>;

/** Makes the action of a command out of its handler. */
export type Act = <Args extends readonly unknown[], Options>(
  handler: Handler<Args, Options>,
) => (this: Command) => Promise<void>;
