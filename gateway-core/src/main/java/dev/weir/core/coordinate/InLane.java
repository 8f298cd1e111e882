package dev.weir.core.coordinate;

import dev.weir.admission.queue.NodeLane;
import dev.weir.admission.queue.NodeLanes;
import dev.weir.admission.queue.WorkClass;
import dev.weir.model.Work;
import dev.weir.protocol.NodeFailure;
import org.jspecify.annotations.Nullable;

/**
 * One call among those that a node has at once of its class. Whoever made it ends it exactly once.
 *
 * @param lane null for a call that takes no thread of a node's pool, or that no node got
 * @param beganNanos when it was sent
 */
record InLane(@Nullable NodeLane lane, int costClass, long beganNanos) {
  /** Counts nothing. */
  static final InLane NONE = new InLane(null, 0, 0);

  private static final int TOO_MANY_REQUESTS = 429;

  /** Counts a call that is being sent. */
  static InLane begin(NodeLanes lanes, String nodeId, Work work) {
    WorkClass kind = WorkClass.of(work.phase());
    if (kind == null) {
      return NONE;
    }
    NodeLane lane = lanes.lane(nodeId, kind);
    return new InLane(lane, work.costClass(), lane.began());
  }

  /** It was answered; {@code queue} is negative where the node does not tell its queue. */
  void answered(int queue) {
    if (lane != null) {
      lane.answered(costClass, queue, beganNanos, true);
    }
  }

  /** It failed. */
  void failed(NodeFailure failure) {
    if (lane == null) {
      return;
    }
    switch (failure.kind()) {
      case REMOTE, NOT_SENT -> {
        if (failure.status() == TOO_MANY_REQUESTS) {
          lane.refused();
        } else {
          lane.answered(costClass, -1, beganNanos, false);
        }
      }
      case CONNECTION_LOST, TIMED_OUT, MALFORMED, OVER_BUDGET -> lane.abandoned();
    }
  }

  /** Nobody waits for it any more. */
  void abandoned() {
    if (lane != null) {
      lane.abandoned();
    }
  }
}
