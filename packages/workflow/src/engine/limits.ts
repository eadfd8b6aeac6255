/** What keeps one step short. */
export const limits = {
  /** Warnings of expressions that an instance keeps; further ones are dropped. */
  warnings: 20,
  /** Elements that are entered in one step. Those beyond it wait for somebody with an incident. */
  transitions: 100_000,
  /** What is still to be done in one step, such as the rounds of loops in loops: more would fill the memory. */
  pending: 100_000,
  /** Items of the collection of a multi-instance loop. */
  items: 10_000,
} as const;
