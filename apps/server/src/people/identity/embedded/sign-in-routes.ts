import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { InteractionResults, Provider } from 'oidc-provider';
import { clientAddressOf } from '../client-address.ts';
import { acceptForms, formIn, send } from '../base/forms.ts';
import {
  expired,
  findInteraction,
  finishInteraction,
  signInForm,
  type Interaction,
  type NoticeFor,
} from '../base/interaction.ts';
import type { SignInLinks } from '../base/pages.ts';
import type { SignIn, SignInOutcome } from './sign-in.ts';
import type { UpstreamSignIn } from '../upstream/sign-in.ts';

/** The services behind the sign-in page. */
interface SignInServices {
  readonly provider: Provider;
  readonly signIn: SignIn;
  readonly noticeFor: NoticeFor;
  /** Null without an upstream provider. */
  readonly upstream: UpstreamSignIn | null;
  readonly links: SignInLinks;
  /** The path of the issuer; empty if the issuer has a separate host. */
  readonly prefix: string;
}

/**
 * Adds the page that asks for name and password. Its cookie is signed, SameSite=Lax and bound to the address of this
 * sign-in, so that no other page can send the form.
 */
export function addSignInRoutes(app: FastifyInstance, services: SignInServices): void {
  const { provider, links } = services;
  const url = `${services.prefix}/sign-in/:uid`;
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
      return submit(services, interaction, request, reply);
    });
    done();
  });
}

async function submit(
  { provider, signIn, noticeFor, upstream, links }: SignInServices,
  interaction: Interaction,
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
