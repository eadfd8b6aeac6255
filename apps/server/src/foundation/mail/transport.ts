/** A mail in plain text to one person. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** A mail with what makes it the same one when it is handed over twice. */
export interface Envelope {
  readonly from: string;
  /** Message-ID, with its angle brackets. */
  readonly messageId: string;
  readonly date: Date;
  /** See recipientOf. */
  readonly recipient: string;
}

/** Where mails go. */
export interface Transport {
  /** Resolves when somebody else has taken over the mail for good; rejects when that is not known, so that it is tried again. */
  deliver(mail: Mail, envelope: Envelope, signal: AbortSignal): Promise<void>;
  /** Takes back what was handed over a moment ago; left out where that is not possible. */
  withdraw?(envelope: Envelope): Promise<void>;
}

/** Nobody answers a program (RFC 3834): keeps absence notes away. */
export const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' } as const;
