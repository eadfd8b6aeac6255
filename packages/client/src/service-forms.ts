import type { RuntimeConfiguration } from '@kethub/contract';

export interface NewService {
  readonly name: string;
  readonly description?: string | undefined;
  readonly configuration?: Partial<RuntimeConfiguration> | undefined;
  /** The ZIP. A Blob of a file (`fs.openAsBlob`, or a file input) is streamed, not read into memory. */
  readonly source: Blob;
}

interface NewWorkflow {
  readonly name: string;
  readonly description?: string | undefined;
  /** The application as which the tasks call services, unless they name another. */
  readonly applicationId?: string | undefined;
  /** The BPMN file. */
  readonly source: Blob;
}

/** Body of `createService` for code. Fields stand before the file: the platform checks them before it takes the upload. */
export function serviceForm({ name, description, configuration, source }: NewService): FormData {
  const form = formOf({ name, description, configuration: configuration && JSON.stringify(configuration) });
  form.set('source', source, 'source.zip');
  return form;
}

/** Body of `createService` for a workflow. Its first version is a draft, whose `workflow.problems` must be mended first. */
export function workflowForm({ name, description, applicationId, source }: NewWorkflow): FormData {
  const form = formOf({ type: 'WORKFLOW', name, description, applicationId });
  form.set('source', source, 'workflow.bpmn');
  return form;
}

function formOf(texts: Readonly<Record<string, string | undefined>>): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries(texts)) if (text !== undefined) form.set(name, text);
  return form;
}
