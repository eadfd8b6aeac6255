import { escapeHtml as escape } from '../../../foundation/http/index.ts';
import { page, type Page } from '../base/pages.ts';
import type { FieldErrors } from './fields.ts';
import { CSRF_FIELD } from './csrf.ts';

/** Address and CSRF token of a form; an empty token leaves the field out. */
export interface Form {
  readonly action: string;
  readonly csrfToken: string;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly error?: string | undefined;
  readonly hint?: string;
  /** Further attributes, as HTML. */
  readonly attributes: string;
}

const NEW_PASSWORD = 'type="password" autocomplete="new-password" required minlength="12" maxlength="256"';
const EMAIL = 'type="email" autocomplete="email" required maxlength="254"';

/** The registration form. `values` are filled in again, except the password. */
export function registerPage(form: Form, values: URLSearchParams, errors: FieldErrors): Page {
  const filled = (name: string): string => values.get(name) ?? '';
  const fields: Field[] = [
    { name: 'email', label: 'E-mail address', attributes: `${EMAIL} autofocus` },
    {
      name: 'username',
      label: 'Username',
      hint: 'May be left empty: then you sign in with the address.',
      attributes: 'autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254"',
    },
    { name: 'firstname', label: 'First name', attributes: 'autocomplete="given-name" required maxlength="100"' },
    { name: 'lastname', label: 'Last name', attributes: 'autocomplete="family-name" required maxlength="100"' },
  ];
  const shown = fields.map((one) =>
    field({ ...one, value: filled(one.name), error: errors[one.name as keyof FieldErrors] }),
  );
  const content = `<h1>Register</h1>
<p>You get a mail to confirm the address.</p>
${formOf(form, [...shown, passwordField(errors.password)], 'Register')}`;
  return page(Object.keys(errors).length > 0 ? 'Register: please correct' : 'Register', content);
}

/** The answer to every request for a mail, whether or not a mail was sent. */
export function checkMailPage(sendAgain: string): Page {
  const content = `<h1>Check your mail</h1>
<p>If Kethub may send a mail to this address, it is on its way. Open the link in it.</p>
<p>It can take some minutes and may be taken for spam. One address gets five mails at once and then one an hour.</p>
<p class="links"><a href="${escape(sendAgain)}">Send the mail again</a></p>`;
  return page('Check your mail', content);
}

/** A form that asks for an address only. */
export function addressPage(
  kind: 'SEND_AGAIN' | 'FORGOT_PASSWORD',
  form: Form,
  email: string,
  error: string | undefined,
): Page {
  const [title, what] =
    kind === 'SEND_AGAIN'
      ? ['Send the mail again', 'You get another mail with the link that confirms your address.']
      : ['Forgot your password?', 'You get a mail with a link to choose a new one.'];
  const address = field({
    name: 'email',
    label: 'E-mail address',
    value: email,
    error,
    attributes: `${EMAIL} autofocus`,
  });
  return page(title, `<h1>${title}</h1>\n<p>${what}</p>\n${formOf(form, [address], 'Send')}`);
}

/** The form that confirms an address. Opening the page does not confirm, because mail programs open links. */
export function verifyPage(action: string, email: string, register: string, error: string | undefined): Page {
  const password = field({
    name: 'password',
    label: 'The password that you chose when you registered',
    error,
    attributes: 'type="password" autocomplete="current-password" required autofocus',
  });
  const content = `<h1>Confirm your address</h1>
<p>${escape(email)}</p>
${formOf({ action, csrfToken: '' }, [password], 'Confirm')}
<p class="links">Forgot it? <a href="${escape(register)}">Register again</a> with another one.</p>`;
  return page('Confirm your address', content);
}

export function setPasswordPage(action: string, error: string | undefined): Page {
  const content = `<h1>Choose a new password</h1>
<p>This ends every session of your account.</p>
${formOf({ action, csrfToken: '' }, [passwordField(error)], 'Set password')}`;
  return page('Choose a new password', content);
}

/** A page that says what happened, with one link that leads on. */
export function noticePage(title: string, text: string, link: { readonly href: string; readonly text: string }): Page {
  const content = `<h1>${escape(title)}</h1>
<p role="status">${escape(text)}</p>
<p class="links"><a href="${escape(link.href)}">${escape(link.text)}</a></p>`;
  return page(title, content);
}

function formOf({ action, csrfToken }: Form, fields: readonly string[], button: string): string {
  const hidden = csrfToken === '' ? '' : `<input type="hidden" name="${CSRF_FIELD}" value="${escape(csrfToken)}">\n`;
  return `<form method="post" action="${escape(action)}">
${hidden}${fields.join('\n')}
<button>${button}</button>
</form>`;
}

function passwordField(error: string | undefined): string {
  const hint = 'At least 12 characters. Several words are easy to remember.';
  return field({ name: 'password', label: 'Password', hint, error, attributes: NEW_PASSWORD });
}

function field({ name, label, value, error, hint, attributes }: Field): string {
  const notes = [
    ...(hint === undefined ? [] : [{ id: `${name}-hint`, kind: 'hint', text: hint }]),
    ...(error === undefined ? [] : [{ id: `${name}-error`, kind: 'error', text: error }]),
  ];
  const described = notes.length === 0 ? '' : ` aria-describedby="${notes.map(({ id }) => id).join(' ')}"`;
  const invalid = error === undefined ? '' : ' aria-invalid="true"';
  const filled = value === undefined ? '' : ` value="${escape(value)}"`;
  return [
    `<label for="${name}">${label}</label>`,
    ...notes.map(({ id, kind, text }) => `<p class="${kind} beside" id="${id}">${escape(text)}</p>`),
    `<input id="${name}" name="${name}"${filled} ${attributes}${invalid}${described}>`,
  ].join('\n');
}
