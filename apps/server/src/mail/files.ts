import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { AUTOMATIC, type Mail, type Envelope, type Transport } from './transport.ts';

/** Writes each mail to a file of its own, for an installation without a mail server: any editor or mail program opens it. */
export function createFileTransport(folder: string): Transport {
  return {
    async deliver(mail, envelope) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const id = envelope.messageId.replaceAll(/^<|@.*$/g, '');
      const file = path.join(folder, `${envelope.date.toISOString().slice(0, 19).replaceAll(':', '-')} ${id}.eml`);
      const draft = `${file}.tmp`;
      const handle = await open(draft, 'w', 0o600);
      try {
        await handle.writeFile(asText(mail, envelope));
        await handle.sync();
      } finally {
        await handle.close();
      }
      // Whole or not at all.
      await rename(draft, file);
    },
  };
}

/** RFC 5322, with the text as it is, so that a link can be copied from it. */
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
