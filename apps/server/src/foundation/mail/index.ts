export { createMailer, type Mailer } from './mailer.ts';
export { recipientOf, removeMailFiles, withdrawMails } from './withdraw.ts';
export type { Mail } from './transport.ts';
