import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors, type InteractionResults, type Provider } from 'oidc-provider';
import { clientAddressOf } from '../client-address.ts';
import { acceptForms, formIn, send } from './forms.ts';
import { errorPage, signInPage, waitingPage, type Page, type SignInLinks } from './pages.ts';
import type { SignIn, SignInOutcome } from './sign-in.ts';
import type { UpstreamSignIn } from '../upstream/sign-in.ts';

/** What a person who signs in has to be told before they go on; null when they can do everything. */
export type NoticeFor = (subject: string) => Promise<string | null>;

export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/**
 * The page that asks a person for name and password. Its cookie is signed, SameSite=Lax and bound to the address of this
 * one sign-in, so that no other page can send the form.
 */
export function addSignInRoutes(
  app: FastifyInstance,
  provider: Provider,
  signIn: SignIn,
  noticeFor: NoticeFor,
  upstream: UpstreamSignIn | null,
  links: SignInLinks,
  prefix: string,
): void {
  const url = `${prefix}/sign-in/:uid`;
  void app.register((scope, _options, done) => {
    acceptForms(scope);
    scope.get(url, { exposeHeadRoute: false, schema: { hide: true } }, async (request, reply) => {
      const interaction = await findInteraction(provider, request, reply);
      if (!interaction) return expired(reply);
      const hint = interaction.params['login_hint'];
      return send(reply, 200, signInForm(interaction, links, typeof hint === 'string' ? hint : '', null));
    });
    scope.post(url, { schema: { hide: true } }, async (request, reply) => {
      const interaction = await findInteraction(provider, request, reply);
      if (!interaction) return expired(reply);
      return submit(provider, signIn, noticeFor, upstream, interaction, links, request, reply);
    });
    done();
  });
}

async function submit(
  provider: Provider,
  signIn: SignIn,
  noticeFor: NoticeFor,
  upstream: UpstreamSignIn | null,
  interaction: Interaction,
  links: SignInLinks,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const finish = (result: InteractionResults, notice: string | null = null) =>
    finishInteraction(provider, request, reply, result, notice);
  const fields = formIn(request);
  if (fields.get('decision') === 'cancel') {
    return finish({ error: 'access_denied', error_description: 'the sign-in was cancelled' });
  }
  const name = fields.get('username') ?? '';
  const outcome = await signIn(name, fields.get('password') ?? '', clientAddressOf(request.raw));
  if (outcome.kind === 'SIGNED_IN') {
    await upstream?.passwordGiven(interaction.uid, outcome.subject);
    const notice = await noticeFor(outcome.subject);
    return finish({ login: { accountId: outcome.subject } }, notice);
  }
  if (outcome.kind === 'TOO_MANY') reply.header('retry-after', outcome.retryAfter);
  return send(reply, outcome.kind === 'TOO_MANY' ? 429 : 400, signInForm(interaction, links, name, explain(outcome)));
}

function explain(outcome: Exclude<SignInOutcome, { kind: 'SIGNED_IN' }>): string {
  if (outcome.kind === 'REFUSED') return 'Username or password is wrong. Check both and try again.';
  return `Too many wrong passwords. Try again in ${Math.ceil(outcome.retryAfter / 60)} minutes.`;
}

/** The sign-in that this browser has begun and the address names, or null. */
export async function findInteraction(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Interaction | null> {
  try {
    const interaction = await provider.interactionDetails(request.raw, reply.raw);
    const { uid } = request.params as { uid: string };
    return interaction.uid === uid ? interaction : null;
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return null;
    throw error;
  }
}

/** Ends the sign-in with this result and sends the browser on; a notice is shown first. */
export async function finishInteraction(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
  result: InteractionResults,
  notice: string | null,
): Promise<FastifyReply> {
  try {
    const next = await provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false });
    return notice === null ? reply.redirect(next, 303) : send(reply, 200, waitingPage(notice, next));
  } catch (error) {
    // The password that was given has been replaced meanwhile.
    if (error instanceof errors.InvalidGrant) return expired(reply);
    throw error;
  }
}

export function signInForm(interaction: Interaction, links: SignInLinks, name: string, error: string | null): Page {
  const { origin } = new URL(String(interaction.params['redirect_uri']));
  return signInPage({ action: `${links.signIn}/${interaction.uid}`, name, error, target: origin, ...links });
}

export function expired(reply: FastifyReply): FastifyReply {
  return send(reply, 400, errorPage('This sign-in has ended or belongs to another browser.'));
}
