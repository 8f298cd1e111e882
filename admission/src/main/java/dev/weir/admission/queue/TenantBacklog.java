package dev.weir.admission.queue;

/** Tracks what waits of one tenant for one node. Guarded by the lock of its queue. */
final class TenantBacklog {
  /** Waiting requests that need the node or may use it, whatever else they need. */
  final BacklogTracker requests = new BacklogTracker();

  /** The clients' requests that {@link #requests} are parts of. */
  final WaitingOrigins origins = new WaitingOrigins();
}
