import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { SignInRecords } from '../../audit/index.ts';
import { clientAddressOf } from '../client-address.ts';
import { send } from '../base/forms.ts';
import type { SignInLinks } from '../base/pages.ts';
import {
  expired,
  findInteraction,
  finishInteraction,
  signInForm,
  type Interaction,
  type NoticeFor,
} from '../base/interaction.ts';
import type { UpstreamOutcome } from './account.ts';
import { UPSTREAM_CALLBACK, type UpstreamFailure, type UpstreamSignIn } from './sign-in.ts';

type Failure = Exclude<UpstreamOutcome, { kind: 'SIGNED_IN' }> | Exclude<UpstreamFailure, { kind: 'EXPIRED' }>;

const HIDDEN = { exposeHeadRoute: false, schema: { hide: true } };

/** The services behind the sign-in at an upstream provider. */
interface UpstreamServices {
  readonly provider: Provider;
  readonly upstream: UpstreamSignIn;
  readonly noticeFor: NoticeFor;
  readonly records: SignInRecords;
  readonly links: SignInLinks;
  /** The path of the issuer; empty if the issuer has a separate host. */
  readonly prefix: string;
}

/**
 * Adds the redirects to the upstream provider and back. Its answer comes to one address for all sign-ins, where the
 * browser sends no cookie of a sign-in. That address redirects to the one of the sign-in. There the cookie proves
 * that it is the same browser, so that an answer for somebody else's sign-in is refused (login CSRF).
 */
export function addUpstreamRoutes(
  app: FastifyInstance,
  { provider, upstream, noticeFor, records, links, prefix }: UpstreamServices,
): void {
  const fail = (reply: FastifyReply, interaction: Interaction, failure: Failure): FastifyReply => {
    const [status, text] = EXPLANATIONS[failure.kind];
    return send(reply, status, signInForm(interaction, links, '', text(upstream.name)));
  };

  // A link instead of a form: the page's policy lists the targets of forms before the provider's address is known.
  app.get(`${prefix}/sign-in/:uid/upstream`, HIDDEN, async (request, reply) => {
    const interaction = await findInteraction(provider, request, reply);
    if (!interaction) return expired(reply);
    const { prompt } = interaction.params;
    const again = typeof prompt === 'string' && prompt.split(' ').includes('login');
    const begun = await upstream.begin(interaction.uid, again);
    if (begun instanceof URL) return reply.header('cache-control', 'no-store').redirect(begun.href, 303);
    return begun.kind === 'EXPIRED' ? expired(reply) : fail(reply, interaction, begun);
  });

  app.get(prefix + UPSTREAM_CALLBACK, HIDDEN, async (request, reply) => {
    const query = queryOf(request.url);
    const uid = await upstream.uidOf(new URLSearchParams(query).get('state') ?? '');
    if (uid === null) return expired(reply);
    return reply.header('cache-control', 'no-store').redirect(`${prefix}/sign-in/${uid}/callback?${query}`, 303);
  });

  app.get(`${prefix}/sign-in/:uid/callback`, HIDDEN, async (request, reply) => {
    const interaction = await findInteraction(provider, request, reply);
    if (!interaction) return expired(reply);
    const outcome = await upstream.complete(interaction.uid, queryOf(request.url));
    if (outcome.kind === 'EXPIRED') return expired(reply);
    const address = clientAddressOf(request.raw);
    if (outcome.kind === 'DISABLED' || outcome.kind === 'REJECTED')
      records.refused(outcome.name, 'SWITCHED_OFF', address);
    if (outcome.kind !== 'SIGNED_IN') return fail(reply, interaction, outcome);
    await records.signedIn(outcome.subject, address);
    const notice = await noticeFor(outcome.subject);
    return finishInteraction(provider, request, reply, { login: { accountId: outcome.subject } }, notice);
  });
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

/** Status and text of the page for each failure. */
const EXPLANATIONS: Readonly<Record<Failure['kind'], readonly [status: number, text: (name: string) => string]>> = {
  UNAVAILABLE: [503, (name) => `${name} does not answer. Try again in a minute, or sign in with a password here.`],
  CANCELLED: [400, (name) => `You have not signed in with ${name}.`],
  REFUSED: [
    400,
    (name) => `Signing in with ${name} did not work. Try again. If it happens again, tell those who run this Kethub.`,
  ],
  REJECTED: [403, () => 'Your registration was rejected. Ask those who run this Kethub.'],
  DISABLED: [403, () => 'Your account is switched off. Ask those who run this Kethub.'],
  NO_EMAIL: [
    403,
    (name) =>
      `${name} does not tell Kethub your e-mail address, and there is no account without one. Enter one there, or let ${name} pass it on, and try again.`,
  ],
  UNVERIFIED_EMAIL: [403, (name) => `${name} has not verified your e-mail address. Verify it there and try again.`],
  REGISTRATION_CLOSED: [403, () => 'You have no account here, and nobody can register. Ask those who run this Kethub.'],
  KNOWN_EMAIL: [
    403,
    (name) =>
      `There is an account with your e-mail address already. If it is yours, sign in with its password here and now; from then on ${name} opens it, too.`,
  ],
};
