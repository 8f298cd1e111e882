package dev.weir.core.coordinate;

import dev.weir.model.RequestPolicy;

/** Who decides by which policy whether one more copy is asked. Safe on any thread. */
@FunctionalInterface
public interface Tails {
  /** Who decides for the requests of a policy. */
  Tail by(RequestPolicy policy);
}
