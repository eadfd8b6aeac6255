import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAddressOf } from '../client-address.ts';
import { acceptForms, formIn, send } from '../base/forms.ts';
import { Attempts } from '../base/attempts.ts';
import { addressPage, checkMailPage, noticePage, registerPage, setPasswordPage, verifyPage } from './pages.ts';
import { errorPage, type SignInLinks } from '../base/pages.ts';
import { forgotPassword, register, sendAgain, type MailOutcome, type RegistrationServices } from './registration.ts';
import { emailError, emailIn, passwordError, registrationIn, type FieldErrors } from './fields.ts';
import type { CsrfProtection } from './csrf.ts';
import { setPassword } from './password.ts';
import { subjectOfToken } from './tokens.ts';
import { registrationOfToken, verifyEmail, type VerifyOutcome } from './verify.ts';

const HIDDEN = { exposeHeadRoute: false, schema: { hide: true } };

/** The pages by which people register, confirm their address and choose a new password, below {auth_url}. */
export function addRegistrationRoutes(
  app: FastifyInstance,
  services: RegistrationServices,
  protection: CsrfProtection,
  prefix: string,
): void {
  void app.register((scope, _options, done) => {
    acceptForms(scope);
    addRegister(scope, services, protection, prefix);
    addAddressForm(scope, services, protection, `${prefix}/send-again`, 'SEND_AGAIN');
    addAddressForm(scope, services, protection, `${prefix}/forgot-password`, 'FORGOT_PASSWORD');
    addVerify(scope, services, prefix);
    addSetPassword(scope, services, prefix);
    done();
  });
}

/** The links of the sign-in page. */
export function signInLinks(services: RegistrationServices, prefix: string): SignInLinks {
  return {
    signIn: `${prefix}/sign-in`,
    upstreamName: services.platform.configuration.upstream?.name ?? null,
    forgotPassword: `${prefix}/forgot-password`,
    register: isClosed(services) ? null : `${prefix}/register`,
  };
}

function addRegister(
  app: FastifyInstance,
  services: RegistrationServices,
  protection: CsrfProtection,
  prefix: string,
): void {
  const url = `${prefix}/register`;
  const show = (request: FastifyRequest, reply: FastifyReply, values: URLSearchParams, errors: FieldErrors) =>
    registerPage({ action: url, csrfToken: protection.tokenFor(request, reply) }, values, errors);
  app.get(url, HIDDEN, (request, reply) => {
    if (isClosed(services)) return send(reply, 403, closedPage());
    return send(reply, 200, show(request, reply, new URLSearchParams(), {}));
  });
  app.post(url, HIDDEN, async (request, reply) => {
    if (isClosed(services)) return send(reply, 403, closedPage());
    const form = formIn(request);
    if (!protection.isOurs(request, form)) return foreignForm(reply);
    const given = registrationIn(form);
    if ('errors' in given) return send(reply, 400, show(request, reply, form, given.errors));
    const outcome = await register(services, given.registration, request.ip);
    if (outcome.kind === 'USERNAME_TAKEN') {
      const errors = { username: 'Somebody has this username already. Choose another.' };
      return send(reply, 400, show(request, reply, form, errors));
    }
    return answer(reply, outcome, `${prefix}/send-again`);
  });
}

function addAddressForm(
  app: FastifyInstance,
  services: RegistrationServices,
  protection: CsrfProtection,
  url: string,
  kind: 'SEND_AGAIN' | 'FORGOT_PASSWORD',
): void {
  const ask = kind === 'SEND_AGAIN' ? sendAgain : forgotPassword;
  const isOff = (): boolean => kind === 'SEND_AGAIN' && isClosed(services);
  const show = (request: FastifyRequest, reply: FastifyReply, email: string, error?: string) =>
    addressPage(kind, { action: url, csrfToken: protection.tokenFor(request, reply) }, email, error);
  app.get(url, HIDDEN, (request, reply) =>
    isOff() ? send(reply, 403, closedPage()) : send(reply, 200, show(request, reply, '')),
  );
  app.post(url, HIDDEN, async (request, reply) => {
    if (isOff()) return send(reply, 403, closedPage());
    const form = formIn(request);
    if (!protection.isOurs(request, form)) return foreignForm(reply);
    const email = emailIn(form);
    const error = emailError(email);
    if (error !== null) return send(reply, 400, show(request, reply, email, error));
    return answer(reply, await ask(services, email, request.ip), url);
  });
}

// The two forms below need no CSRF token: their address contains a secret that only the mail names.

function addVerify(app: FastifyInstance, { platform }: RegistrationServices, prefix: string): void {
  const url = `${prefix}/verify/:token`;
  const attempts = new Attempts(platform);
  const show = async (request: FastifyRequest, reply: FastifyReply, status: number, error?: string) => {
    const registration = await registrationOfToken(platform, tokenOf(request));
    if (!registration) return send(reply, 400, expiredPage(`${prefix}/send-again`));
    return send(reply, status, verifyPage(request.url, registration.email, `${prefix}/register`, error));
  };
  app.get(url, HIDDEN, (request, reply) => show(request, reply, 200));
  app.post(url, HIDDEN, async (request, reply) => {
    const password = formIn(request).get('password') ?? '';
    const outcome = await verifyEmail(platform, attempts, {
      token: tokenOf(request),
      password,
      from: clientAddressOf(request.raw),
    });
    switch (outcome.kind) {
      case 'WRONG_PASSWORD':
        return show(
          request,
          reply,
          400,
          'This is not the password. If you did not register yourself, close this page.',
        );
      case 'TOO_MANY':
        reply.header('retry-after', outcome.retryAfter);
        return show(request, reply, 429, `Too many wrong passwords. ${again(outcome.retryAfter)}`);
      default:
        return send(reply, outcome.kind === 'VERIFIED' ? 200 : 400, verifyOutcomePage(outcome, prefix));
    }
  });
}

function addSetPassword(app: FastifyInstance, { platform }: RegistrationServices, prefix: string): void {
  const url = `${prefix}/password/:token`;
  const expired = (reply: FastifyReply) => send(reply, 400, expiredPage(`${prefix}/forgot-password`));
  app.get(url, HIDDEN, async (request, reply) => {
    const subject = await subjectOfToken(platform, 'SET_PASSWORD', tokenOf(request));
    return subject === undefined ? expired(reply) : send(reply, 200, setPasswordPage(request.url, undefined));
  });
  app.post(url, HIDDEN, async (request, reply) => {
    const password = formIn(request).get('password') ?? '';
    const error = passwordError(password);
    if (error !== null) return send(reply, 400, setPasswordPage(request.url, error));
    if (!(await setPassword(platform, tokenOf(request), password))) return expired(reply);
    const text = 'Sign in with it from now on.';
    return send(reply, 200, noticePage('Your password is set', text, { href: '/', text: 'Go to Kethub' }));
  });
}

function verifyOutcomePage(outcome: Exclude<VerifyOutcome, { kind: 'WRONG_PASSWORD' | 'TOO_MANY' }>, prefix: string) {
  const home = { href: '/', text: 'Go to Kethub' };
  switch (outcome.kind) {
    case 'VERIFIED':
      return outcome.status === 'APPROVED'
        ? noticePage('Your address is confirmed', 'You can sign in now.', home)
        : noticePage('Your address is confirmed', 'An administrator decides on your registration next.', home);
    case 'CLOSED':
      return closedPage();
    case 'USERNAME_TAKEN': {
      const text = 'Somebody else has taken the username meanwhile.';
      const link = { href: `${prefix}/register`, text: 'Register with another one' };
      return noticePage('Your address is not confirmed', text, link);
    }
    case 'ADDRESS_TAKEN': {
      const text = 'There is an account with this address already. Sign in with its password, or choose a new one.';
      const link = { href: `${prefix}/forgot-password`, text: 'Choose a new password' };
      return noticePage('This address is in use', text, link);
    }
    default:
      return expiredPage(`${prefix}/send-again`);
  }
}

function answer(reply: FastifyReply, outcome: MailOutcome, sendAgain: string) {
  if (outcome.kind !== 'TOO_MANY') return send(reply, 200, checkMailPage(sendAgain));
  reply.header('retry-after', outcome.retryAfter);
  return send(reply, 429, errorPage(`Too many mails were asked for from your network. ${again(outcome.retryAfter)}`));
}

function foreignForm(reply: FastifyReply) {
  return send(
    reply,
    400,
    errorPage('This form has ended or belongs to another browser. It needs a cookie of this site.'),
  );
}

function expiredPage(href: string) {
  const text = 'It was used already, or its time is over.';
  return noticePage('This link is not valid any more', text, { href, text: 'Get another mail' });
}

function closedPage() {
  const text = 'Nobody can register here. Ask those who run this Kethub for an account.';
  return noticePage('Registration is closed', text, { href: '/', text: 'Go to Kethub' });
}

function isClosed({ platform }: RegistrationServices): boolean {
  return platform.configuration.registration === 'closed';
}

function again(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return `Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
}

function tokenOf(request: FastifyRequest): string {
  return (request.params as { token: string }).token;
}
