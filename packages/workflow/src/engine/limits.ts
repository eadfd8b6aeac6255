/** Limits of one step. */
export const limits = {
  /** Warnings of expressions that an instance keeps; further ones are dropped. */
  warnings: 20,
  /** Elements that are entered in one step. Further ones get an incident. */
  transitions: 100_000,
  /**
   * Commands in the queue of one step, such as the rounds of nested loops. With more, the instance is given up: they
   * would fill the memory.
   */
  pending: 100_000,
  /** Elements for which a thrown message or signal counts, so that one step throws at most 1,000. */
  messageTransitions: 100,
  /** Bytes of the variables of a message or signal that count as one element more. */
  messageBytesPerTransition: 256,
  /** Bytes of JSON of the variables of a thrown message. More is an incident. */
  messageBytes: 1024 * 1024,
  /** Bytes of JSON of the variables of a thrown signal, which is copied for each instance that receives it. */
  signalBytes: 64 * 1024,
  /** Characters of the name of a message or signal that is thrown, and of the key of a message. */
  messageName: 100,
  /** Milliseconds for which a message that is thrown can wait. */
  messageMs: 7 * 86_400_000,
  /** Items of the collection of a multi-instance loop. */
  items: 10_000,
} as const;
