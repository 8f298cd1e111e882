package dev.weir.operate;

/** What to do about a command of which it is not known whether it has ended. */
public enum UnknownOutcomePolicy {
  /** Stop and ask the operator, unless the node shows it. */
  ASK,
  /** It has ended. */
  SKIP,
  /** Run it again. */
  REPEAT
}
