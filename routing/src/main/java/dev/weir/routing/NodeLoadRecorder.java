package dev.weir.routing;

import dev.weir.model.Phase;

/**
 * Learns the load of each data node from what is sent to it and what comes back. Safe on any
 * thread.
 */
public interface NodeLoadRecorder {
  /** Why an exchange with a node failed. */
  enum Failure {
    /** The node could not be reached, or the connection was lost. */
    UNREACHABLE,
    /** No answer in time. */
    TIMEOUT,
    /** The node refused the work because it is full: load, not a fault. */
    REJECTED,
    /** The node answered with an error of its own making. */
    ERROR
  }

  /** What a request was sent for, besides its answer. */
  enum TrialReason {
    /** Nothing. */
    NONE,
    /** The node was idle and had not been heard from for long. */
    EXPLORATION,
    /** The node had failed several times in a row. */
    EJECTION_PROBE
  }

  /**
   * One request that is outstanding on a node. The first of its methods to be called counts; the
   * others do nothing after it, so that outstanding returns to zero on every path.
   */
  interface OutstandingRequest {
    /**
     * The node answered, with what it piggybacked.
     *
     * @param queueSize tasks waiting in the node's pool; negative when not known
     * @param serviceTimeNanos the node's EWMA of service time; zero or negative when not known
     */
    void onResponse(int queueSize, long serviceTimeNanos);

    /**
     * The node answered, but not with what it was asked for, as it should: with an error that the
     * request itself caused (a 4xx), or with more than was taken. It lives; how quick it is remains
     * to be seen.
     */
    void onResponseWithoutStats();

    /** The node did not answer, or with an error of its own making. */
    void onFailure(Failure failure);

    /** Whether the request was also sent to learn about the node. */
    default TrialReason trialReason() {
      return TrialReason.NONE;
    }

    /** Nobody waits any more (cancelled, hedge loser): counts as neither. */
    void onAbandon();
  }

  /** Notes that a request of cost class 0 is being sent to a node. */
  default OutstandingRequest startRequest(String nodeId, Phase phase) {
    return startRequest(nodeId, phase, 0);
  }

  /**
   * Notes that a request is being sent to a node.
   *
   * @param costClass requests that cost about the same have the same number; 0 to 15
   */
  OutstandingRequest startRequest(String nodeId, Phase phase, int costClass);
}
