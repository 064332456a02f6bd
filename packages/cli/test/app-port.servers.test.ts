// Ports from `/proc` and from `lsof`, which macOS includes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listByLsof, listByProc } from '../src/chaos/app-port.ts';

describe('the ports of an app', () => {
  it.each([
    ['/proc', listByProc],
    ['lsof', listByLsof],
  ])('are listed by %s, in ascending order and without those of other processes', async (_, list) => {
    const text =
      "const net = require('net'); const open = () => new Promise((resolve) => { const server = net.createServer().listen(0, () => resolve(server.address().port)); }); Promise.all([open(), open()]).then((ports) => console.log(JSON.stringify(ports.sort((a, b) => a - b))))";
    const child = spawn(process.execPath, ['-e', text], { detached: true });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const ports = JSON.parse(line) as number[];
    expect((await list(child.pid!)).toSorted((a, b) => a - b)).toEqual(ports);
  });
});
