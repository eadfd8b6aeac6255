/** The package brings no types. */
declare module '@bpmn-io/element-templates-validator' {
  export function validateZeebe(template: unknown): {
    readonly valid: boolean;
    readonly errors?: readonly { readonly message: string }[];
  };
}
