package dev.weir.routing;

import dev.weir.model.Phase;

/**
 * Records requests and responses, from which the gateway estimates each data node's load. Safe on
 * any thread.
 */
public interface NodeLoadRecorder {
  /** The reason of a failed request. */
  enum Failure {
    /** The node was unreachable, or the connection was lost. */
    UNREACHABLE,
    /** No response arrived in time. */
    TIMEOUT,
    /** The node rejected the request because it is full: load, not a fault. */
    REJECTED,
    /** The node responded with an error of its own. */
    ERROR
  }

  /** Why a request also tests its node. */
  enum TrialReason {
    /** It does not test the node. */
    NONE,
    /** The node was idle without a recent response. */
    EXPLORATION,
    /** The node had failed several times in a row. */
    EJECTION_PROBE
  }

  /**
   * One outstanding request. Only the first call of one of its methods counts, so that the number
   * of outstanding requests returns to zero on every path.
   */
  interface OutstandingRequest {
    /**
     * Records a response with its load report.
     *
     * @param queueSize waiting tasks in the node's pool; negative if unknown
     * @param serviceTimeNanos the node's EWMA of service time; zero or negative if unknown
     */
    void onResponse(int queueSize, long serviceTimeNanos);

    /**
     * Records a response without a usable load report: a client error (4xx) or a response over the
     * memory limit. The node is alive; its speed remains unknown.
     */
    void onResponseWithoutStats();

    /** Records a missing response or an error of the node's own. */
    void onFailure(Failure failure);

    /** Returns whether the request also tests its node. */
    default TrialReason trialReason() {
      return TrialReason.NONE;
    }

    /**
     * Records that the caller stopped waiting (cancelled, or the slower of two hedged requests);
     * this counts neither as success nor as failure.
     */
    void onAbandon();
  }

  /** Records that a request of cost class 0 is sent to a node. */
  default OutstandingRequest startRequest(String nodeId, Phase phase) {
    return startRequest(nodeId, phase, 0);
  }

  /**
   * Records that a request is sent to a node. It is the node's probe if the node is ejected and
   * awaits one.
   *
   * @param costClass groups requests of similar cost; 0 to 15
   */
  OutstandingRequest startRequest(String nodeId, Phase phase, int costClass);
}
