/** A mail in plain text to one person. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The envelope of a mail, the same at every delivery. */
export interface Envelope {
  readonly from: string;
  /** Message-ID, with its angle brackets. */
  readonly messageId: string;
  readonly date: Date;
  /** Keyed hash of the address, see `recipientOf`. */
  readonly recipient: string;
}

/** A way to deliver mails. */
export interface Transport {
  /** Resolves when the mail is delivered for good. Rejects if that is uncertain, so that it is tried again. */
  deliver(mail: Mail, envelope: Envelope, signal: AbortSignal): Promise<void>;
  /** Takes back a mail that was just delivered; absent if that is impossible. */
  withdraw?(envelope: Envelope): Promise<void>;
}

/** Marks a mail as automatic, so that absence notes are not sent back (RFC 3834). */
export const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' } as const;
