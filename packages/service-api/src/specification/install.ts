import { isObject, member, resolved, type Json, type JsonObject } from './json.ts';

/** The addresses and the version of a service, which only the installation knows. */
export interface Installation {
  /** {service_endpoint} without the slash at its end. */
  readonly endpoint: string;
  readonly tokenEndpoint: string;
  readonly version: string;
}

const SCHEME = 'application';

/** The document with servers, security, the number of the version, and links from the start of an execution. */
export function installed(document: JsonObject, { endpoint, tokenEndpoint, version }: Installation): JsonObject {
  const scheme = {
    type: 'oauth2',
    description: 'A bearer token for the access key pair of an application (client credentials).',
    flows: { clientCredentials: { tokenUrl: tokenEndpoint, scopes: { default: 'All operations.' } } },
  };
  return {
    ...document,
    info: { ...asObject(document['info']), version },
    servers: [{ url: endpoint }],
    security: [{ [SCHEME]: ['default'] }],
    paths: linked(document),
    components: { ...asObject(document['components']), securitySchemes: { [SCHEME]: scheme } },
  };
}

const targets = { status: ['/{id}', 'get'], result: ['/{id}/result', 'get'], cancel: ['/{id}/cancel', 'put'] } as const;

function linked(document: JsonObject): JsonObject {
  const paths = asObject(document['paths']);
  const start = asObject(paths['/']);
  const post = asObject(start['post']);
  const responses = asObject(post['responses']);
  const created = asObject(resolved(document, responses['201']));
  const links = Object.fromEntries(
    Object.entries(targets).map(([name, [path, method]]) => [name, linkTo(paths, path, method)]),
  );
  return {
    ...paths,
    '/': { ...start, post: { ...post, responses: { ...responses, 201: { ...created, links } } } },
  };
}

function linkTo(paths: JsonObject, path: string, method: string): JsonObject {
  const id = member(member(paths[path], method), 'operationId');
  const pointer = encodeURI(path.replaceAll('/', '~1'));
  return {
    ...(typeof id === 'string' ? { operationId: id } : { operationRef: `#/paths/${pointer}/${method}` }),
    parameters: { id: '$response.body#/id' },
  };
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
