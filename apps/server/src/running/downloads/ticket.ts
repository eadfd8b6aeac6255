import { Problem } from '../../foundation/http/index.ts';
import { roleIn } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';

/** Milliseconds within which a download has to begin. */
export const TICKET_MS = 60_000;
const PURPOSE = 'download ticket';

/** The one content that a ticket opens. */
export type Content =
  | { readonly kind: 'RESULT_FILE'; readonly executionId: string; readonly file: string }
  | { readonly kind: 'DATA_POOL_FILE'; readonly dataPoolId: string; readonly name: string }
  | { readonly kind: 'BUILD_LOG'; readonly serviceId: string; readonly version: string }
  | { readonly kind: 'SOURCE'; readonly serviceId: string; readonly version: string };

interface Ticket {
  readonly content: Content;
  readonly context: Context;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** Seals a ticket: nothing is stored, and nobody can read or change it. */
export function sealTicket({ seal, now }: Platform, context: Context, content: Content): string {
  const { type, id, role, personId } = context;
  const ticket: Ticket = { content, context: { type, id, role, personId }, until: now() + TICKET_MS };
  return seal.seal(PURPOSE, JSON.stringify(ticket));
}

/** The content of a ticket, and for whom it is. Throws ticket-expired, also when its person has left since. */
export async function openTicket(platform: Platform, text: string): Promise<Ticket> {
  const ticket = unsealed(platform, text);
  if (!ticket || ticket.until < platform.now()) throw expired();
  const { context } = ticket;
  if (context.type === 'ORGANIZATION') {
    const role = await roleIn(platform.database.read, context.id, context.personId);
    if (role === null) throw expired();
  }
  return ticket;
}

function unsealed({ seal }: Platform, text: string): Ticket | null {
  try {
    return JSON.parse(seal.unseal(PURPOSE, text)) as Ticket;
  } catch {
    return null;
  }
}

function expired(): Problem {
  return new Problem('ticket-expired', 'This address was valid for a minute. Ask for another one.');
}
