/** What keeps one step short. */
export const limits = {
  /** Elements that are entered in one step. Those beyond it wait for somebody with an incident. */
  transitions: 20_000,
  /** Items of the collection of a multi-instance loop. */
  items: 10_000,
} as const;
