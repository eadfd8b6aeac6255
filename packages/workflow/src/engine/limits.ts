/** What keeps one step short. */
export const limits = {
  /** Warnings of expressions that an instance keeps; further ones are dropped. */
  warnings: 20,
  /** Elements that are entered in one step. Those beyond it wait for somebody with an incident. */
  transitions: 100_000,
  /** What is still to be done in one step, such as the rounds of loops in loops: more would fill the memory. */
  pending: 100_000,
  /** A message or signal that is thrown counts as so many elements entered, so that one step throws at most 1,000. */
  messageTransitions: 100,
  /** So many bytes of the variables of a message or signal count as one element more. */
  messageBytesPerTransition: 256,
  /** Of the variables of a message that is thrown, in JSON. */
  messageBytes: 1024 * 1024,
  /** The same of a signal, which is copied for each instance that receives it. */
  signalBytes: 64 * 1024,
  /** Characters of the name of a message or signal that is thrown, and of the key of a message. */
  messageName: 100,
  /** Milliseconds for which a message that is thrown can wait. */
  messageMs: 7 * 86_400_000,
  /** Items of the collection of a multi-instance loop. */
  items: 10_000,
} as const;
