package dev.weir.core.actions.warmup;

import dev.weir.model.DisplayFormat;

/** Why the warm-up of a copy ended. */
public enum WarmUpEnd {
  /** Rounds of repeated searches have got hardly faster for some time. */
  STEADY,
  /** The copy was warmed for as long as the policy allows. */
  MAX_DURATION,
  /** Several repeated searches failed in a row. */
  FAILED,
  /** The copy left its node. */
  MOVED,
  /** Clients' requests wait for nodes, so the copy is needed. */
  OVERLOADED,
  /** The policy no longer allows it, or the gateway stops. */
  DISABLED;

  /** Returns the name for display. */
  public String label() {
    return DisplayFormat.toKebabCase(this);
  }
}
