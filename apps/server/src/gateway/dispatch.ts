import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Admission, Divert } from '../http/index.ts';
import { serviceAddressOf, type Forwarder, type ServiceAddress } from '../on-premise/index.ts';
import type { Subscriber } from './access.ts';
import type { GatewayCaller } from './routes.ts';

/** Sends calls of services that run elsewhere to them, whatever their method and path. All others go on as they are. */
export interface Dispatch {
  /** For requests that fit an operation of managed services. */
  readonly divert: Divert<GatewayCaller>;
  /** For requests that fit none: they are refused as ever unless the service runs elsewhere. */
  unrouted(request: FastifyRequest, reply: FastifyReply, refuse: () => void, fail: (error: Error) => void): void;
}

export function createDispatch(
  forwarder: Forwarder,
  admissionTo: (address: ServiceAddress) => Admission<Subscriber>,
): Dispatch {
  const divert: Dispatch['divert'] = (caller, request, reply, fail) => {
    if (!caller?.target) return false;
    if (caller.retirement) reply.headers(caller.retirement.headers);
    const { target, scope, subscriptionId, applicationId } = caller;
    forwarder.forward({ target, endpoint: scope.address, subscriptionId, applicationId }, request, reply, fail);
    return true;
  };
  return {
    divert,
    unrouted(request, reply, refuse, fail) {
      const address = serviceAddressOf(request.raw.url ?? '/');
      if (!address) return refuse();
      const admitted = admit(admissionTo(address), request, reply);
      admitted.then((caller) => {
        if (!divert(caller, request, reply, fail)) refuse();
      }, fail);
    },
  };
}

/** As a promise also when it is refused at once. */
async function admit(
  admission: Admission<Subscriber>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Subscriber> {
  return admission(request, reply);
}
