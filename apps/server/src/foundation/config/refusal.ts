/** An error that keeps the platform from starting. The message, shown without a stack, says why and what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
