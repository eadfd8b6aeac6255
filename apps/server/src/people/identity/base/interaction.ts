import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors, type InteractionResults, type Provider } from 'oidc-provider';
import { send } from './forms.ts';
import { errorPage, signInPage, waitingPage, type Page, type SignInLinks } from './pages.ts';

/** The notice that is shown to a person after the sign-in; null if the account has full access. */
export type NoticeFor = (subject: string) => Promise<string | null>;

export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** The sign-in in the address of the request, if this browser has begun it, or null. */
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

/** Ends the sign-in with this result and redirects the browser, or shows the notice with a link first. */
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
    // `requireSamePassword` throws this if the password was changed meanwhile.
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
