interface Shown {
  readonly errorCode: string;
  readonly failedElement: string;
  readonly message: string;
}

/** The errors in the result of a workflow that did not succeed; none where it has another form. */
export function workflowErrors(result: unknown): readonly Shown[] {
  const { errors } = (result ?? {}) as { readonly errors?: unknown };
  return Array.isArray(errors) ? errors.filter(isError) : [];
}

function isError(value: unknown): value is Shown {
  const { errorCode, failedElement, message } = (value ?? {}) as Partial<Record<keyof Shown, unknown>>;
  return [errorCode, failedElement, message].every((one) => typeof one === 'string');
}
