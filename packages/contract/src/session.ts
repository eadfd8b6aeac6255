import { Type, type Static } from 'typebox';
import { RegistrationResponse } from './accounts.ts';
import { Id } from './fields.ts';
import { memberRoles } from './organizations.ts';

export const Session = Type.Object(
  {
    person: Type.Object({
      id: Id,
      username: Type.String(),
      email: Type.String(),
      firstname: Type.String(),
      lastname: Type.String(),
    }),
    registration: RegistrationResponse,
    administrator: Type.Boolean(),
    organizations: Type.Array(Type.Object({ id: Id, name: Type.String(), role: Type.Enum([...memberRoles]) }), {
      description: 'Joined organizations, newest first; none before the registration is approved.',
    }),
    features: Type.Object(
      {
        gateway: Type.String({ description: 'Address of the gateway.' }),
        registration: Type.Boolean({ description: 'True if people can register here.' }),
        docker: Type.Boolean({ description: 'True if services can be containers.' }),
      },
      { description: 'Features of this installation.' },
    ),
    operations: Type.Record(Type.String(), Type.Enum([...memberRoles]), {
      description: 'Operations on resources, each with the least role that may call it. Personally everybody is OWNER.',
    }),
  },
  { $id: 'Session' },
);
export type Session = Static<typeof Session>;

export const FoundThing = Type.Object(
  { type: Type.Enum(['SERVICE', 'APPLICATION', 'DATA_POOL', 'IMPLEMENTATION']), id: Id, name: Type.String() },
  { $id: 'FoundThing' },
);
export type FoundThing = Static<typeof FoundThing>;
