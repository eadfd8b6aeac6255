import fs from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as git from 'isomorphic-git';
import http from 'isomorphic-git/http/node';

// Commands of client.ts, run with isomorphic-git.
const PERSON = { name: 'Ada', email: 'ada@example.org' };
const [command = '', ...args] = process.argv.slice(2);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const commands: Readonly<Record<string, (...given: string[]) => Promise<void>>> = {
  async clone(url = '', dir = '', depth = '0') {
    await git.clone({ fs, http, dir, url, ...(depth !== '0' && { depth: Number(depth) }) });
  },
  async commit(dir = '', filepath = '', text = '') {
    await writeFile(path.join(dir, filepath), text);
    await git.add({ fs, dir, filepath });
    print(await git.commit({ fs, dir, message: 'change', author: PERSON }));
  },
  async tag(dir = '', ref = '') {
    await git.annotatedTag({ fs, dir, ref, message: 'tag', tagger: PERSON });
  },
  async push(dir = '', url = '', source = '', target = '', force = '0') {
    // A deletion names some ref that is there.
    const ends = { ref: source === '' ? 'HEAD' : source, remoteRef: target, delete: source === '' };
    const { ok, refs } = await git.push({ fs, http, dir, url, ...ends, force: force === '1' });
    const refused = Object.values(refs).find((one) => !one.ok);
    if (!ok || refused) throw new Error(refused?.error ?? 'the push was refused');
  },
  async fetch(dir = '', url = '', ref = '') {
    const { fetchHead } = await git.fetch({ fs, http, dir, url, ref, singleBranch: true });
    print(fetchHead ?? '');
  },
  async list(url = '') {
    for (const { oid, ref } of await git.listServerRefs({ http, url })) print(`${oid} ${ref}`);
  },
  async head(dir = '') {
    print(await git.resolveRef({ fs, dir, ref: 'HEAD' }));
  },
  async count(dir = '') {
    print(String((await git.log({ fs, dir })).length));
  },
};

try {
  await commands[command]?.(...args);
} catch (error) {
  const { message, data } = error as Error & { data?: { response?: string } };
  process.stderr.write(`${message}\n${data?.response ?? ''}\n`);
  process.exitCode = 1;
}
