package dev.weir.admission.queue;

import org.jspecify.annotations.Nullable;

/**
 * For how long a request may wait, with R0 what answers take on a node that is not busy, R what
 * they take lately:
 *
 * <ul>
 *   <li>not more than <em>allowed</em> is expected when it comes, from how many go before it and
 *       how quickly they go lately; or it is refused at once;
 *   <li>not much longer than that, as forecasts err: half of it again, and five requests' time;
 *   <li>not past its own deadline.
 * </ul>
 *
 * <p>It is judged at one of the nodes that it needs: where most stand still. While few need that
 * node ({@link NodeThreadPool#toleratedWaiters}) only the last of these counts, and the policy's
 * {@code max-wait}.
 *
 * <p>Allowed is the policy's {@code max-wait} where it says one. Otherwise so much that it is
 * answered {@code 3 R0} after it came, R0 of its own class of cost where that is longer; or when as
 * many requests were answered as chance lets come together now and then, half of them once more
 * come than go: that is no chance. Never less than {@link NodeThreadPool#minRejectionWaitNanos};
 * nor than a second while nothing waited less than a second ago, or no more come than go: so a
 * burst that the nodes work off within a second is let in, and so are clients that each wait for
 * their answer before they ask again.
 */
final class WaitLimit<T> {
  private static final double LATE_FACTOR = 1.5;
  private static final int LATE_REQUESTS = 5;
  private static final double MIN_WAIT_WITHOUT_GROWTH_NANOS = 1e9;
  private static final double RESPONSE_TIME_FACTOR = 3;

  private final QueueSettings settings;
  private final NodeThreadPool threadPool;
  private final NodeConcurrencyLimiters limiters;
  private final QueuePosition<T> position;
  private final NodeBacklog<T> nodeBacklog;
  private final long now;
  private final int waiting;

  /**
   * A request that waits or asks to.
   *
   * @param nodeBacklog of the node where it is judged
   * @param waiting requests of its class that wait
   */
  record Candidate<T>(
      QueuePosition<T> position, NodeBacklog<T> nodeBacklog, long now, int waiting) {}

  WaitLimit(
      QueueSettings newSettings,
      NodeThreadPool work,
      NodeConcurrencyLimiters limiters,
      Candidate<T> one) {
    this.settings = newSettings;
    this.threadPool = work;
    this.limiters = limiters;
    this.position = one.position();
    this.nodeBacklog = one.nodeBacklog();
    this.now = one.now();
    this.waiting = one.waiting();
  }

  /** How long it is allowed to wait. */
  double allowedWaitNanos() {
    if (settings.maxWaitNanos() > 0) {
      return (double) settings.maxWaitNanos();
    }
    ResponseTimeTracker times = limiters.responseTimes(threadPool);
    double alone = Math.max(times.unloadedNanos(), position.costNanos);
    boolean outgrows = nodeBacklog.allRequests.isGrowing(now);
    int chance = outgrows ? threadPool.toleratedWaiters() : threadPool.maxUsualRequests();
    double answered =
        Math.max(
            RESPONSE_TIME_FACTOR * alone,
            chance * nodeBacklog.allRequests.admissionIntervalNanos());
    double least =
        outgrows
            ? threadPool.minRejectionWaitNanos()
            : Math.max(threadPool.minRejectionWaitNanos(), MIN_WAIT_WITHOUT_GROWTH_NANOS);
    return Math.max(least, answered - times.recentNanos());
  }

  private boolean hasFewWaiting() {
    return settings.maxWaitNanos() == 0
        && nodeBacklog.allRequests.waiting() <= threadPool.toleratedWaiters();
  }

  /** Why it is rejected on arrival; null when it is not. */
  @Nullable QueueRejection checkOnArrival(double ahead) {
    if (waiting >= settings.maxWaiting()) {
      return newRejection(QueueRejection.Reason.QUEUE_FULL, 0, 0);
    }
    double wait =
        nodeBacklog.expectedWaitNanos(position.queuedRequest.demand().needs().size())
            * (ahead + 1)
            / (nodeBacklog.bottleneckRequests.waiting() + 1);
    double left = (double) position.queuedRequest.remainingDeadlineNanos();
    if (wait + position.costNanos > left || left <= 0) {
      return newRejection(QueueRejection.Reason.DEADLINE_BEFORE_TURN, wait, left);
    }
    if (hasFewWaiting()) {
      return null;
    }
    double allowed = allowedWaitNanos();
    return wait > allowed
        ? newRejection(QueueRejection.Reason.EXPECTED_WAIT_TOO_LONG, wait, allowed)
        : null;
  }

  /** Why it is rejected after waiting; null when it is not. */
  @Nullable QueueRejection checkWhileWaiting() {
    double waited = Math.max(0L, now - position.arrivedNanos);
    if (waited >= position.queuedRequest.remainingDeadlineNanos()) {
      return newRejection(QueueRejection.Reason.DEADLINE_BEFORE_TURN, waited, 0);
    }
    if (hasFewWaiting()) {
      return null;
    }
    double allowed =
        settings.maxWaitNanos() > 0
            ? settings.maxWaitNanos()
            : LATE_FACTOR * allowedWaitNanos()
                + LATE_REQUESTS * nodeBacklog.allRequests.admissionIntervalNanos();
    return waited > allowed
        ? newRejection(QueueRejection.Reason.WAIT_TIMEOUT, waited, allowed)
        : null;
  }

  private QueueRejection newRejection(QueueRejection.Reason reason, double nanos, double most) {
    QueueRejection.WaitMeasurement waits =
        new QueueRejection.WaitMeasurement(
            waiting, (long) nanos, (long) most, settings.maxWaiting());
    return new QueueRejection(
        reason,
        position.queuedRequest.tenant(),
        fullestNode(),
        waits,
        AdmissionQueue.retryAfter(nanos));
  }

  /** The node that blocks it most. */
  private QueueRejection.FullNode fullestNode() {
    NodeConcurrencyLimiter fullest = null;
    for (NodeDemand.Need need : position.queuedRequest.demand().needs()) {
      NodeConcurrencyLimiter best = null;
      for (String nodeId : need.nodes()) {
        NodeConcurrencyLimiter limiter = limiters.limiter(nodeId, threadPool);
        best = best == null || limiter.freeSlots() > best.freeSlots() ? limiter : best;
      }
      if (best != null && (fullest == null || best.freeSlots() < fullest.freeSlots())) {
        fullest = best;
      }
    }
    return fullest == null
        ? new QueueRejection.FullNode("", threadPool, 0, 0)
        : new QueueRejection.FullNode(
            fullest.nodeId(), threadPool, fullest.inFlight(), fullest.limit());
  }
}
