/** The platform cannot start as it is set up. The message says why and what to do; no stack is worth showing. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
