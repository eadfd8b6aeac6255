import { execFile } from 'node:child_process';
import { copyFile, mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { errorCode } from '../errors.ts';
import { PYTHON } from '../sandbox/root.ts';
import type { Bind } from '../types.ts';
import type { Pip } from './host-python.ts';
import { createRedactor, readNetrc, type Redact } from './redact.ts';

const run = promisify(execFile);

/**
 * Settings that say where packages come from and how the index is reached. The platform sets all others itself (`user`,
 * `target`, `no-binary`).
 */
const SETTINGS = [
  'index-url',
  'extra-index-url',
  'find-links',
  'no-index',
  'cert',
  'client-cert',
  'trusted-host',
  'proxy',
  'timeout',
  'default-timeout',
  'retries',
  'constraint',
  'pre',
  'prefer-binary',
];
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const CERTIFICATES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'];

/** Settings by which pip runs inside the sandbox as it would outside. */
export interface PipSettings {
  environment: Record<string, string>;
  /** Folders of this machine that the settings name. */
  binds: Bind[];
  /** Removes the operator's index and credentials from a text. */
  redact: Redact;
}

// `pip config list` prints the result of all configuration files and the environment, with values as Python literals.
const LIST = `
import ast, json, subprocess, sys
listed = subprocess.run([sys.executable, "-I", "-S", sys.argv[1], "config", "list"], capture_output=True, text=True)
if listed.returncode != 0:
    sys.exit(listed.stderr)
print(json.dumps([[name, ast.literal_eval(value)] for name, _, value in (line.partition("=") for line in listed.stdout.splitlines())]))
`;

/**
 * Reads the pip configuration of this machine (environment, `pip.conf` of system and user) through pip itself. Files
 * that it names are copied into `filesDir`, because only we may read those with credentials; folders are mounted.
 * @param inside the path of `filesDir` in the sandbox.
 */
export async function pipSettings(
  pip: Pip,
  environment: NodeJS.ProcessEnv,
  filesDir: string,
  inside: string,
): Promise<PipSettings> {
  const shown = new Shown(filesDir, inside);
  const result: Record<string, string> = { PIP_CONFIG_FILE: '/dev/null' };
  const given: string[] = [];
  for (const [name, value] of await effective(pip, environment)) {
    given.push(value);
    result[`PIP_${name.toUpperCase().replaceAll('-', '_')}`] = await shown.rewrite(value);
  }
  for (const name of PROXIES.flatMap((one) => [one, one.toLowerCase()])) {
    const value = environment[name];
    if (value === undefined) continue;
    result[name] = value;
    given.push(value);
  }
  for (const name of CERTIFICATES) {
    const value = environment[name];
    if (value !== undefined) result[name] = await shown.rewrite(value);
  }
  const netrc = environment['NETRC'] ?? join(environment['HOME'] ?? homedir(), '.netrc');
  const copied = await shown.path(netrc);
  if (copied !== null) result['NETRC'] = copied;
  return { environment: result, binds: shown.binds, redact: createRedactor(given, await readNetrc(netrc)) };
}

/** Merges the settings as pip does: command line over environment over `[install]` over `[global]`. */
async function effective(pip: Pip, environment: NodeJS.ProcessEnv): Promise<Map<string, string>> {
  const program = pip.isWheel ? `${pip.path}/pip` : pip.path;
  const { stdout } = await run(PYTHON, ['-I', '-c', LIST, program], { env: environment, cwd: '/' }).catch(() => {
    // The output of pip may contain the settings themselves.
    throw new Error(
      'The settings of pip on this machine cannot be read. `pip config debug` says where they come from.',
    );
  });
  const listed = JSON.parse(stdout) as [string, string][];
  const merged = new Map<string, string>();
  for (const section of ['global', 'install', ':env:']) {
    for (const [name, value] of listed) {
      const key = name.slice(section.length + 1);
      if (name.startsWith(`${section}.`) && SETTINGS.includes(key)) merged.set(key, value);
    }
  }
  return merged;
}

/** Makes files and folders of this machine visible in the sandbox. */
class Shown {
  readonly binds: Bind[] = [];
  private copies = 0;
  private readonly filesDir: string;
  private readonly inside: string;

  constructor(filesDir: string, inside: string) {
    this.filesDir = filesDir;
    this.inside = inside;
  }

  /** Replaces each word of a setting that names a local file or folder by its path in the sandbox. */
  async rewrite(value: string): Promise<string> {
    const words: string[] = [];
    for (const word of value.split(/\s+/).filter((one) => one !== '')) {
      const isUrl = word.startsWith('file://');
      if (!isUrl && !/^[./~]/.test(word)) {
        words.push(word);
        continue;
      }
      const path = await this.path(isUrl ? fileURLToPath(word) : word.replace(/^~(?=\/)/, homedir()));
      words.push(path === null ? word : isUrl ? `file://${path}` : path);
    }
    return words.join(' ');
  }

  /** Returns the path in the sandbox, or null when `outside` does not exist. */
  async path(outside: string): Promise<string | null> {
    const from = resolve(outside);
    try {
      if ((await stat(from)).isDirectory()) {
        const to = `/index/${this.binds.length}`;
        this.binds.push({ from, to, writable: false });
        return to;
      }
      const folder = String(this.copies++);
      await mkdir(join(this.filesDir, folder), { recursive: true });
      await copyFile(from, join(this.filesDir, folder, basename(from)));
      return `${this.inside}/${folder}/${basename(from)}`;
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
      throw error;
    }
  }
}
