export { createMailer, type Mailer } from './mailer.ts';
export type { Mail } from './transport.ts';
