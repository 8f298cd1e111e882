package dev.weir.bluegreen.dual;

import dev.weir.model.RequestContext;
import org.jspecify.annotations.Nullable;

/**
 * Selects the target of a request's dual writes. Called on the request's event loop; never blocks.
 */
@FunctionalInterface
public interface DualWriteTargetSelector {
  /** The target; null if there is none. */
  @Nullable DualWriteTarget targetFor(RequestContext context);
}
