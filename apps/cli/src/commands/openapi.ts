import type { Command } from 'commander';
import type { OpenApiOptions } from '../serve/openapi.ts';
import { addCommand, type Shell } from '../shell.ts';

export function addOpenApi(program: Command, shell: Shell): void {
  addCommand(program, 'openapi [folder]', 'print the OpenAPI document of a service, derived from the signature of run')
    .option('--output <file>', 'write it to a file; the ending .yaml or .yml means YAML')
    .option('--yaml', 'print YAML')
    .option('--check <file>', 'compare it with a file, and end with 1 when they differ; names what breaks callers')
    .option('--python <interpreter>', 'the Python of an environment, see ket serve')
    .action(async (folder: string | undefined, options: OpenApiOptions) => {
      const { openApi } = await import('../serve/openapi.ts');
      await openApi(shell, folder, options);
    });
}
