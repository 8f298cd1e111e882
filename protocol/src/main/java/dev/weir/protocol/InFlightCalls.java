package dev.weir.protocol;

/** The calls in flight on one connection. Confined to its event loop. */
interface InFlightCalls {
  /** Removes a call that its caller abandoned. */
  void abandon(ActiveCall<?> call);

  /** Removes a call after its timeout, and fails it. */
  void onTimeout(ActiveCall<?> call);
}
