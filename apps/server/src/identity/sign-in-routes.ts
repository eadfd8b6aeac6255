import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors, type InteractionResults, type Provider } from 'oidc-provider';
import { clientAddressOf } from './client-address.ts';
import { errorPage, signInPage, type Page } from './pages.ts';
import type { SignIn, SignInOutcome } from './sign-in.ts';

const FORM_BYTES = 16 * 1024;

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/**
 * The page that asks a person for name and password. Its cookie is signed, SameSite=Lax and bound to the address of this
 * one sign-in, so that no other page can send the form.
 */
export function addSignInRoutes(app: FastifyInstance, provider: Provider, signIn: SignIn, prefix: string): void {
  const url = `${prefix}/sign-in/:uid`;
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES },
      (_request, text, parsed) => parsed(null, new URLSearchParams(text.toString())),
    );
    scope.get(url, { exposeHeadRoute: false, schema: { hide: true } }, async (request, reply) => {
      const interaction = await find(provider, request, reply);
      if (!interaction) return expired(reply);
      const hint = interaction.params['login_hint'];
      return send(reply, 200, form(interaction, request, typeof hint === 'string' ? hint : '', null));
    });
    scope.post(url, { schema: { hide: true } }, async (request, reply) => {
      const interaction = await find(provider, request, reply);
      if (!interaction) return expired(reply);
      const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      return submit(provider, signIn, interaction, fields, request, reply);
    });
    done();
  });
}

async function submit(
  provider: Provider,
  signIn: SignIn,
  interaction: Interaction,
  fields: URLSearchParams,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const finish = async (result: InteractionResults): Promise<FastifyReply> => {
    const next = await provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false });
    return reply.redirect(next, 303);
  };
  if (fields.get('decision') === 'cancel') {
    return finish({ error: 'access_denied', error_description: 'the sign-in was cancelled' });
  }
  const name = fields.get('username') ?? '';
  const outcome = await signIn(name, fields.get('password') ?? '', clientAddressOf(request.raw));
  if (outcome.kind === 'SIGNED_IN') return finish({ login: { accountId: outcome.subject } });
  if (outcome.kind === 'TOO_MANY') reply.header('retry-after', outcome.retryAfter);
  return send(reply, outcome.kind === 'TOO_MANY' ? 429 : 400, form(interaction, request, name, explain(outcome)));
}

function explain(outcome: Exclude<SignInOutcome, { kind: 'SIGNED_IN' }>): string {
  if (outcome.kind === 'REFUSED') return 'Username or password is wrong. Check both and try again.';
  return `Too many wrong passwords. Try again in ${Math.ceil(outcome.retryAfter / 60)} minutes.`;
}

/** The sign-in that this browser has begun and the address names, or null. */
async function find(provider: Provider, request: FastifyRequest, reply: FastifyReply): Promise<Interaction | null> {
  try {
    const interaction = await provider.interactionDetails(request.raw, reply.raw);
    const { uid } = request.params as { uid: string };
    return interaction.uid === uid ? interaction : null;
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return null;
    throw error;
  }
}

function form(interaction: Interaction, request: FastifyRequest, name: string, error: string | null): Page {
  const { origin } = new URL(String(interaction.params['redirect_uri']));
  return signInPage({ action: request.url, name, error, target: origin });
}

function expired(reply: FastifyReply): FastifyReply {
  return send(reply, 400, errorPage('This sign-in has ended or belongs to another browser.'));
}

function send(reply: FastifyReply, status: number, { html, headers }: Page): FastifyReply {
  return reply.status(status).headers(headers).send(html);
}
