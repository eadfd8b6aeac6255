import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { secretsIn } from './secrets.ts';

/** Makes a folder for the log lines of the whole run. Fails the run when a line contains a secret. */
export default function collectLogs(): () => Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-logs-'));
  process.env['LOG_CHECK_FOLDER'] = folder;
  return async () => {
    const { lines, findings } = await lookThrough(folder);
    rmSync(folder, { recursive: true });
    process.stdout.write(`\n      Log  ${lines} lines, ${findings.length} of them with what no log may hold\n`);
    if (findings.length > 0)
      throw new Error(`The log holds what no log may hold:\n${findings.slice(0, 20).join('\n')}`);
  };
}

async function lookThrough(folder: string): Promise<{ lines: number; findings: string[] }> {
  const findings: string[] = [];
  let lines = 0;
  for (const file of readdirSync(folder)) {
    for await (const line of createInterface(createReadStream(path.join(folder, file)))) {
      lines += 1;
      const found = secretsIn(line);
      if (found.length > 0) findings.push(`${file.replaceAll('|', '/')}: ${found.join(', ')}: ${line.slice(0, 2_000)}`);
    }
  }
  return { lines, findings };
}
