package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import java.time.Duration;

/** One write request, opaque to the state machine. Called on the request's home. */
public interface WriteWork {
  /** How long it may wait for the cluster to be ready for it. */
  Duration waitTimeout();

  /**
   * Plans what has no answer yet, and answers what the view rules out.
   *
   * @param certainty how far the view can be trusted to say no
   */
  WriteStep plan(ClusterView view, ViewFreshness certainty);

  /** Everything has an answer. */
  void onFinished();

  /**
   * The request's deadline has passed: answers with what there is. Pieces that were under way were
   * told before; what else has no answer was not sent.
   */
  void onDeadlineExpired();

  /** The whole write failed. */
  void onFailure(Exception why);

  /** How far a view can be trusted when it lacks something. */
  enum ViewFreshness {
    /** It may be behind: ask for {@link WriteStep.ConfirmView} before saying no. */
    CACHED,
    /** It was read after the request came in. */
    CONFIRMED,
    /**
     * There is no time left to wait for another (never ask for {@link WriteStep.AwaitNewerView}):
     * what was given back fails with why it was.
     */
    FINAL_ATTEMPT
  }
}
