package dev.weir.core.coordinate.write;

import dev.weir.cluster.ClusterView;
import java.time.Duration;

/** One write request, opaque to the state machine. Called on the request's event loop. */
public interface WriteWork {
  /** How long it may wait for the cluster to be ready. */
  Duration waitTimeout();

  /**
   * Plans what has no result yet, and fails what the view rules out.
   *
   * @param freshness how far the view can be trusted when it lacks something
   */
  WriteStep plan(ClusterView view, ViewFreshness freshness);

  /** Every item has its result. */
  void onFinished();

  /**
   * Responds at the request's deadline with the results that exist. Operations in flight were
   * notified before; others without a result were not sent.
   */
  void onDeadlineExpired();

  /** The whole write failed. */
  void onFailure(Exception cause);

  /** How far a view can be trusted when it lacks something. */
  enum ViewFreshness {
    /** It may lag: return {@link WriteStep.ConfirmView} before failing an item. */
    CACHED,
    /** It was read after the request arrived. */
    CONFIRMED,
    /**
     * No time is left to wait for another view (never return {@link WriteStep.AwaitNewerView}): an
     * operation that was returned to planning fails with its cause.
     */
    FINAL_ATTEMPT
  }
}
