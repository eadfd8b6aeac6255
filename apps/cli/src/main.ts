#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';
import { shellOfProcess } from './shell.ts';

// The reader of the output may stop reading: `ket logs | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

// Not awaited: in the bundle, parts that are loaded later import this module, and would wait for its end.
void runCommandLine(shellOfProcess(), process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
