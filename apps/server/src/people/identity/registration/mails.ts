import type { Mail } from '../../../foundation/mail/index.ts';

/**
 * A mail of registration. It repeats no input of a form, so that a stranger who causes a mail cannot write in it.
 */
type Text = Omit<Mail, 'to'>;

export function verifyMail(link: string): Text {
  return {
    subject: 'Confirm your e-mail address for Kethub',
    text: `Somebody, probably you, has registered at Kethub with this e-mail address.

To confirm the address, open this page within 24 hours and type the password
that you chose when you registered:

${link}

If it was not you, do nothing: without this page and that password nobody gets
an account with your address.
`,
  };
}

export function knownAddressMail(site: string, forgotPassword: string): Text {
  return {
    subject: 'You have an account at Kethub already',
    text: `Somebody, probably you, wanted to register at Kethub with this e-mail address.
There is an account with this address already. Nothing about it has changed.

Sign in with it as usual:

${site}

If you do not remember the password, choose a new one:

${forgotPassword}

If it was not you, do nothing.
`,
  };
}

export function setPasswordMail(link: string): Text {
  return {
    subject: 'Choose a new password for Kethub',
    text: `Somebody, probably you, wants a new password for the account at Kethub with this
e-mail address. To choose one, open this page within an hour:

${link}

If it was not you, do nothing: your password stays as it is.
`,
  };
}

export function unknownAddressMail(site: string): Text {
  return {
    subject: 'No account at Kethub with this e-mail address',
    text: `Somebody, probably you, asked Kethub for a mail about the account with this e-mail
address. There is no account with it.

If you have registered and not confirmed the address yet, open the page in the
mail that you got then, or register again. You may also have an account with
another address:

${site}

If it was not you, do nothing.
`,
  };
}

export function invitationMail(link: string, forgotPassword: string): Text {
  return {
    subject: 'You administer a Kethub',
    text: `You were named as an administrator of a Kethub when it was set up. Your username is
this e-mail address. To choose a password, open this page within 24 hours:

${link}

Later, ask for another mail:

${forgotPassword}
`,
  };
}
