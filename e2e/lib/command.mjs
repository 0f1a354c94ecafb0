// Runs programs to their end: the binary's own commands, and the tools that look at what it left.
import { spawn } from 'node:child_process';
import { atExit } from './cleanup.mjs';
import { cleanEnvironment } from './server.mjs';

const DEADLINE_MS = 20_000;

/** Runs the binary; resolves to `{ code, stdout, stderr }` whatever the code is. */
export function rillcast(args, { env = {}, cwd } = {}) {
  const binary = process.env.RILLCAST_BIN;
  if (!binary) throw new Error('set RILLCAST_BIN to the path of the rillcast binary');
  return run(binary, args, { env: cleanEnvironment(env), cwd });
}

/** Runs a tool and returns its output; anything but success throws. */
export async function tool(name, args, options) {
  const { code, stdout, stderr } = await run(name, args, options);
  if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** SQL in a database file, by the sqlite3 shell; the output as text. */
export async function sqlite(file, sql) {
  return (await tool('sqlite3', ['-batch', file, sql])).trim();
}

export function run(program, args, { env = process.env, cwd, deadlineMs = DEADLINE_MS } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const forget = atExit(() => child.kill('SIGKILL'));
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, deadlineMs);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        output[name] += text;
      });
    }
    const settle = (finish) => {
      clearTimeout(timer);
      forget();
      finish();
    };
    child.once('error', (error) => settle(() => reject(error)));
    child.once('close', (code) =>
      settle(() => {
        if (!isLate) return resolve({ code, ...output });
        reject(new Error(`${program} ${args.join(' ')} did not end within ${deadlineMs} ms\n${output.stderr}`));
      }),
    );
  });
}
