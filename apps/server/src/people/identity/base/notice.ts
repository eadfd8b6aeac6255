import type { Identity } from '../identity-provider.ts';

/** Explains to a person who has signed in why the account has no access yet; null if it has. */
export function noticeOf({ emailVerified, enabled, status }: Identity): string | null {
  if (!enabled) return 'Your account is switched off. Ask those who run this Kethub.';
  if (status === 'REJECTED') return 'Your registration was rejected. Ask those who run this Kethub.';
  if (!emailVerified)
    return 'Your e-mail address is not confirmed yet. Open the link in the mail that you got when you registered; until then you can do nothing here.';
  if (status === 'PENDING')
    return 'Your registration waits for the approval of an administrator. You get a mail when it is decided; until then you can do nothing here.';
  return null;
}
