import type { Platform } from '../platform.ts';
import type { OutgoingMailRow, Queries } from '../storage/index.ts';
import { createFileTransport } from './files.ts';
import { claimMails, deferMail, deleteMail, insertMail, isRecipientDeleted } from './queries.ts';
import { createSmtpTransport } from './smtp.ts';
import type { Mail, Transport } from './transport.ts';
import { outboxOf, PURPOSE, recipientOf } from './withdraw.ts';

/** Milliseconds between two looks for due mails. */
const LOOK_EVERY_MS = 1_000;
/** Mails that are delivered at the same time; more wait for the next claim. */
const AT_ONCE = 5;
/** Milliseconds for a delivery; then it is aborted and tried again later. */
const DELIVERY_MS = 60_000;
/** Milliseconds of a claim, longer than a delivery; then another process may claim the mail. */
const LEASE_MS = 2 * 60_000;
/** Milliseconds before the second, third … attempt; the last value repeats. */
const RETRIES_MS = [5_000, 30_000, 2 * 60_000, 10 * 60_000];

/**
 * Sends mail from an outbox in the database. A mail is stored in the transaction that causes it, and delivered
 * afterwards with retries until it expires. So no request waits for a mail server, and no crash loses a mail. A crash
 * right after delivery sends a mail twice, with the same Message-ID.
 */
export interface Mailer {
  /**
   * Stores a mail in the transaction. It is given up after `expiresAt` (epoch milliseconds). Call `wake` after the
   * commit.
   */
  post(transaction: Queries, mail: Mail, expiresAt: number): Promise<void>;
  /** Delivers due mails now instead of within a second. */
  wake(): void;
  /** Aborts deliveries, which are tried again after the next start. Call before the database is closed. */
  close(): Promise<void>;
}

/** Opens the outbox, and logs where mails go. */
export function createMailer(platform: Platform): Mailer {
  const { configuration, database, log } = platform;
  const transport = transportOf(platform);
  const closing = new AbortController();
  let round: Promise<void> | null = null;
  let again = false;

  const wake = (): void => {
    again = true;
    if (closing.signal.aborted) return;
    round ??= deliverAll().finally(() => (round = null));
  };
  const deliverAll = async (): Promise<void> => {
    try {
      while (again && !closing.signal.aborted) {
        again = false;
        const now = platform.now();
        const claimedAt = performance.now();
        const mails = await claimMails(database, { now, leaseEnd: now + LEASE_MS, most: AT_ONCE });
        await Promise.all(mails.map((mail) => deliver(mail, claimedAt).catch(report)));
        again ||= mails.length === AT_ONCE;
      }
    } catch (error) {
      report(error);
    }
  };
  const report = (error: unknown): void => {
    log.warn({ err: error }, 'the outbox cannot be read or written; the next round tries again');
  };
  const deliver = async (row: OutgoingMailRow, claimedAt: number): Promise<void> => {
    const mail = { id: row.id, attempts: row.attempts };
    // This process was paused: the lease could end, and another process claim the mail, before the delivery ends.
    if (performance.now() - claimedAt > LEASE_MS - DELIVERY_MS) return;
    if (row.expires_at <= platform.now()) {
      log.error(mail, 'a mail was given up: it could not be handed over in time');
      await deleteMail(database, row.id);
      return;
    }
    try {
      const content = JSON.parse(platform.seal.unseal(PURPOSE, row.sealed_content)) as Mail;
      const envelope = {
        from: configuration.mail.from,
        messageId: `<${row.id}@${domainOf(configuration.mail.from)}>`,
        date: new Date(row.created_at),
        recipient: recipientOf(platform.seal, content.to),
      };
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(DELIVERY_MS)]);
      await transport.deliver(content, envelope, signal);
      // The row is gone if another process has delivered the mail, or if the recipient's account was deleted meanwhile.
      if ((await deleteMail(database, row.id)) || !(await isRecipientDeleted(database, envelope.recipient))) return;
      await transport.withdraw?.(envelope);
    } catch (error) {
      log.warn({ ...mail, ...reasonOf(error) }, 'a mail could not be handed over; it is kept and tried again');
      const wait = closing.signal.aborted ? 0 : (RETRIES_MS[row.attempts - 1] ?? RETRIES_MS.at(-1) ?? 0);
      await deferMail(database, mail, platform.now() + wait);
    }
  };

  const timer = setInterval(wake, LOOK_EVERY_MS).unref();
  return {
    async post(transaction, mail, expiresAt) {
      // A control character could end a header and begin another.
      if (/[\p{Cc}\u2028\u2029]/u.test(mail.to + mail.subject))
        throw new Error('A control character in a header of a mail');
      const now = platform.now();
      const sealed_content = platform.seal.seal(PURPOSE, JSON.stringify(mail));
      const row = { id: platform.newId(), sealed_content, created_at: now, due_at: now, attempts: 0 };
      const recipient = recipientOf(platform.seal, mail.to);
      await insertMail(transaction, { ...row, expires_at: expiresAt, recipient });
    },
    wake,
    async close() {
      clearInterval(timer);
      closing.abort();
      await round;
    },
  };
}

function transportOf(platform: Platform): Transport {
  const { configuration, log } = platform;
  const { smtp } = configuration.mail;
  if (smtp) {
    log.info({ host: smtp.host, port: smtp.port }, 'mails go to the mail server');
    return createSmtpTransport(smtp);
  }
  const folder = outboxOf(platform);
  log.info({ folder }, 'mails are written to files; set KETHUB_SMTP_URL to send them');
  return createFileTransport(folder);
}

/**
 * Members of an error for the log. The message is left out, because mail servers repeat the recipient's address in
 * it.
 */
function reasonOf(error: unknown): object {
  if (!(error instanceof Error)) return {};
  const { code, responseCode, command, syscall } = error as Error & Record<string, unknown>;
  return { error: error.name, code, responseCode, command, syscall };
}

function domainOf(from: string): string {
  return /@([^>\s]+)/.exec(from)?.[1] ?? 'localhost';
}
