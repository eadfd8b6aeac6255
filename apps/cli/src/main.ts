#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';
import { shellOfProcess } from './shell.ts';

// The reader of the output may stop reading: `ket logs | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runCommandLine(shellOfProcess(), process.argv.slice(2));
