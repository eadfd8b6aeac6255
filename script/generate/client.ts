import path from 'node:path';
import { startTestKethub } from '@kethub/server/testing/kethub';
import { sqlite } from '@kethub/server/testing/databases';
import { tableFile, typesFile, type OpenApiDocument } from '@kethub/client/generator';
import { root } from '../run.ts';

/** A generated file of the client. */
interface ClientFile {
  /** Absolute path. */
  readonly file: string;
  readonly text: string;
}

/** The files, from the OpenAPI documents that a platform serves at these addresses. */
async function clientFiles(addresses: { readonly api: string; readonly gateway: string }): Promise<ClientFile[]> {
  const served = { platform: addresses.api, gateway: addresses.gateway };
  const folder = path.join(root, 'packages/client/src/generated');
  const files = Object.entries(served).map(async ([name, address]) => {
    const document = (await (await fetch(`${address}/openapi.json`)).json()) as OpenApiDocument;
    return [
      { file: path.join(folder, `${name}-table.ts`), text: tableFile(document) },
      { file: path.join(folder, `${name}.ts`), text: await typesFile(document) },
    ];
  });
  return (await Promise.all(files)).flat();
}

/** The generated files of the client, from a platform that is started for it. */
export async function clientFilesOfCode(): Promise<ClientFile[]> {
  const kethub = await startTestKethub(sqlite);
  try {
    return await clientFiles(kethub.platform.addresses);
  } finally {
    await kethub.close();
  }
}
