import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { AUTOMATIC, type Mail, type Envelope, type Transport } from './transport.ts';

/** Writes each mail to an .eml file, for an installation without a mail server. */
export function createFileTransport(folder: string): Transport {
  return {
    async deliver(mail, envelope) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = path.join(folder, nameOf(envelope));
      const draft = `${file}.tmp`;
      const handle = await open(draft, 'w', 0o600);
      try {
        await handle.writeFile(asText(mail, envelope));
        await handle.sync();
      } finally {
        await handle.close();
      }
      // The rename makes the file appear complete or not at all.
      await rename(draft, file);
    },
    withdraw: (envelope) => rm(path.join(folder, nameOf(envelope)), { force: true }),
  };
}

/** The file name, such as `2026-11-22T20-58-48 <id> <recipient>.eml`. */
function nameOf({ messageId, date, recipient }: Envelope): string {
  const id = messageId.replaceAll(/^<|@.*$/g, '');
  return `${date.toISOString().slice(0, 19).replaceAll(':', '-')} ${id} ${recipient}.eml`;
}

/** Removes the files of mails to these recipients. */
export async function removeFilesTo(
  folder: string,
  recipients: readonly string[],
  recipientOf: (address: string) => string,
): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const [, recipient] = / ([0-9a-f]{32})\.eml(?:\.tmp)?$/.exec(name) ?? [];
    const file = path.join(folder, name);
    // File names of an earlier version do not contain the recipient.
    const theirs = recipient ?? (name.includes('.eml') ? recipientOf(await addressIn(file)) : '');
    if (recipients.includes(theirs)) await rm(file, { force: true });
  }
}

/** Bytes read from a file to find its `To` header; an address has at most 320 characters. */
const HEAD_BYTES = 4 * 1024;

async function addressIn(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => null);
  if (!handle) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return /^To: (.*)$/m.exec(buffer.toString('utf8', 0, bytesRead))?.[1] ?? '';
  } finally {
    await handle.close();
  }
}

/** Formats a mail by RFC 5322. The text is not encoded, so that a link can be copied from the file. */
function asText({ to, subject, text }: Mail, { from, messageId, date }: Envelope): string {
  const headers = {
    From: from,
    To: to,
    Subject: subject,
    Date: date.toUTCString().replace('GMT', '+0000'),
    'Message-ID': messageId,
    ...AUTOMATIC,
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': '8bit',
  };
  return `${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n\n${text}`;
}
