import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Folder of the credentials: KETHUB_CONFIG_DIR, else the one of the XDG Base Directory Specification. */
export function configurationFolder(environment: Environment): string {
  const own = environment['KETHUB_CONFIG_DIR'];
  if (own) return path.resolve(own);
  return path.join(absolute(environment['XDG_CONFIG_HOME']) ?? path.join(os.homedir(), '.config'), 'kethub');
}

/** Folder of the state that ket keeps between runs. */
export function stateFolder(environment: Environment): string {
  if (environment['KETHUB_CONFIG_DIR']) return configurationFolder(environment);
  return path.join(absolute(environment['XDG_STATE_HOME']) ?? path.join(os.homedir(), '.local', 'state'), 'kethub');
}

/** Drops a relative path, as the specification demands. */
function absolute(folder: string | undefined): string | undefined {
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined;
}

/** Replaces a file that only its owner may read. Readers see the old or the new content, never a part. */
export async function writePrivately(file: string, content: string): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // The umask may have removed rights of the owner, too; this sets exactly 0600.
    await chmod(temporary, 0o600);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
