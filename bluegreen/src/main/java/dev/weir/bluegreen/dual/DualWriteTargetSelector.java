package dev.weir.bluegreen.dual;

import dev.weir.model.RequestContext;
import org.jspecify.annotations.Nullable;

/** Says where a request's writes are repeated. Called on the request's home; never blocks. */
@FunctionalInterface
public interface DualWriteTargetSelector {
  /** Where; null for nowhere. */
  @Nullable DualWriteTarget targetFor(RequestContext context);
}
