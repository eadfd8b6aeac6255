import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isEnded } from '@kethub/client';
import type { ServiceExecution } from '@kethub/contract';
import type { WholeKethub } from '../kethub.ts';
import { callDemo, earlierExecution } from './call.ts';
import { curlCommands } from './commands.ts';
import { createNarrator, type Narrator } from './narrator.ts';
import { prepareDemo, type Demo } from './prepare.ts';

export { zipOf } from './archive.ts';

/** The picture that the example leaves beside its result. */
const RESULT_FILE = 'cut.svg';

/**
 * Shows the platform at work: prepares the demo and calls it on the first start. Later starts show the execution of the
 * first. The last line names the execution and its status. Credentials are printed on a terminal only.
 */
export async function runDemo(kethub: WholeKethub, output: NodeJS.WriteStream): Promise<void> {
  const narrator = createNarrator(output);
  narrator.title('Demo');
  const demo = await prepareDemo(kethub, narrator);
  const earlier = await earlierExecution(demo);
  const execution = earlier && isEnded(earlier) ? earlier : await callDemo(demo, narrator);
  if (output.isTTY) showHowTo(kethub, demo, narrator);
  else narrator.line(`\nThe same from a shell, addresses and credentials: ${writeHowTo(kethub, demo)}`);
  if (kethub.platform.configuration.dashboard !== 'off') narrator.line(inTheBrowser(kethub, execution));
  narrator.line(lastLine(execution));
}

/** The page of the execution. Its user and password stand with the other credentials. */
function inTheBrowser({ platform }: WholeKethub, { id }: ServiceExecution): string {
  return `In the browser: ${new URL(platform.addresses.api).origin}/me/executions/${id}`;
}

/**
 * Writes the addresses and credentials into a file that only its owner can read, and returns its path. Output that is no
 * terminal is often a log that others read.
 */
function writeHowTo(kethub: WholeKethub, demo: Demo): string {
  const file = path.join(kethub.platform.configuration.dataDir, 'demo.txt');
  const lines: string[] = [];
  const add = (line = ''): unknown => lines.push(line);
  showHowTo(kethub, demo, { title: add, line: add });
  // Anew, so that its mode is ours whatever was there.
  rmSync(file, { force: true });
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}

function showHowTo(kethub: WholeKethub, demo: Demo, narrator: Pick<Narrator, 'title' | 'line'>): void {
  const { addresses } = kethub.platform;
  narrator.title('The same from a shell (paste line by line)');
  for (const command of curlCommands(demo, RESULT_FILE)) narrator.line(command);
  narrator.title('Addresses and credentials');
  const origin = new URL(addresses.api).origin;
  narrator.line(`  platform      ${origin}     user ${demo.account.username}, password ${demo.account.password}`);
  narrator.line(`  gateway       ${addresses.gateway}`);
  narrator.line(`  application   access key ${demo.accessKeyId}, secret ${demo.secretAccessKey}`);
  narrator.line(`  command line  npm run ket -- login ${origin} --username ${demo.account.username}`);
  narrator.line('  Ctrl-C stops the platform; everything is kept for the next start.');
  narrator.line();
}

function lastLine({ id, status, createdAt }: ServiceExecution): string {
  return `Demo execution ${id} of ${createdAt}: ${status}`;
}
