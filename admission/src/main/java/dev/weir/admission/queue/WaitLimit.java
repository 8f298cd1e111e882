package dev.weir.admission.queue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides how long one request may wait. R0 is the response time of a node that is not busy, R the
 * recent one. A request is rejected:
 *
 * <ul>
 *   <li>on arrival, if its expected wait exceeds the <em>allowed</em> one. The expected wait
 *       follows from the number of requests ahead of it and the recent rate at which they are
 *       admitted;
 *   <li>while it waits, after half of the allowed wait more, plus the time of five requests, since
 *       forecasts err;
 *   <li>in any case when its own deadline passes, or would pass before its turn.
 * </ul>
 *
 * <p>The rate is that of the node. Where the tenant's own requests are admitted more slowly, its
 * own rate counts: it may have all the calls that one tenant may have, or its calls cost more than
 * others.
 *
 * <p>The wait is judged at the bottleneck: the least blocked node of the need that blocks most.
 * While parts of at most {@link NodeThreadPool#toleratedWaiters} clients' requests wait for that
 * node, only the deadline and a configured {@code max-wait} apply.
 *
 * <p>The allowed wait is the policy's {@code max-wait} if that is set, or a tenth of the target
 * response time of a search. Otherwise it is the larger of two: until {@code 3 R0} after the
 * request's arrival (R0 of its own cost class if that is longer), or as long as the node takes for
 * {@link NodeThreadPool#maxUsualRequests}, the number of requests that may arrive together by
 * chance. That number is halved while the tenant's backlog grows, because growth is no coincidence;
 * but not for a tenant of which at most {@link NodeThreadPool#toleratedWaiters} requests wait, or
 * that has less than half of its share of the node's calls, since others make it grow. The allowed
 * wait is at least {@link NodeThreadPool#minRejectionWaitNanos}. While the backlog does not grow,
 * it is at least one second, and five while no more than 100 clients' requests wait, or no more
 * than 100 of a tenant with so small a share. A burst that the nodes serve within that time is
 * therefore admitted, and so are clients that each wait for a response before their next request.
 */
final class WaitLimit<T> {
  private static final double LATE_FACTOR = 1.5;
  private static final int LATE_REQUESTS = 5;
  private static final double MIN_WAIT_WITHOUT_GROWTH_NANOS = 1e9;
  private static final double MIN_WAIT_OF_FEW_CLIENTS_NANOS = 5e9;

  /** As many clients' requests as people who each wait for a response may have waiting. */
  private static final int FEW_CLIENTS = 100;

  private static final double RESPONSE_TIME_FACTOR = 3;

  private final QueueSettings settings;
  private final NodeThreadPool threadPool;
  private final NodeConcurrencyLimiters limiters;
  private final QueuePosition<T> position;
  private final NodeBacklog nodeBacklog;
  private final TenantAtNode<T> tenant;
  private final long now;
  private final int waiting;

  /**
   * A request that waits or asks to.
   *
   * @param nodeBacklog of the node at which the wait is judged
   * @param tenant what its tenant does at that node
   * @param waiting requests that wait for the thread pool
   */
  record Candidate<T>(
      QueuePosition<T> position,
      NodeBacklog nodeBacklog,
      TenantAtNode<T> tenant,
      long now,
      int waiting) {}

  WaitLimit(
      QueueSettings settings,
      NodeThreadPool threadPool,
      NodeConcurrencyLimiters limiters,
      Candidate<T> candidate) {
    this.settings = settings;
    this.threadPool = threadPool;
    this.limiters = limiters;
    this.position = candidate.position();
    this.nodeBacklog = candidate.nodeBacklog();
    this.tenant = candidate.tenant();
    this.now = candidate.now();
    this.waiting = candidate.waiting();
  }

  /** Returns the allowed wait, in nanoseconds. */
  double allowedWaitNanos() {
    if (settings.maxWaitNanos() > 0) {
      return (double) settings.maxWaitNanos();
    }
    ResponseTimeTracker times = limiters.responseTimes(threadPool);
    double unloaded = Math.max(times.unloadedNanos(), position.costNanos);
    boolean grows =
        tenant.originCount() > threadPool.toleratedWaiters()
            && tenant.isGrowing()
            && !tenant.isBelowShare();
    int burst = grows ? threadPool.toleratedWaiters() : threadPool.maxUsualRequests();
    double answered =
        Math.max(
            RESPONSE_TIME_FACTOR * unloaded,
            burst * nodeBacklog.allRequests.admissionIntervalNanos());
    double minWait = threadPool.minRejectionWaitNanos();
    if (!grows) {
      minWait =
          Math.max(
              minWait,
              isAtMost(FEW_CLIENTS)
                      || (tenant.originCount() <= FEW_CLIENTS && tenant.isBelowShare())
                  ? MIN_WAIT_OF_FEW_CLIENTS_NANOS
                  : MIN_WAIT_WITHOUT_GROWTH_NANOS);
    }
    return Math.max(minWait, answered - times.recentNanos());
  }

  /**
   * Returns false while a request has waited for so short a time that {@link #checkWhileWaiting}
   * does not reject it: most checks need nothing more.
   */
  static boolean isCheckDue(
      QueuePosition<?> position, long now, QueueSettings settings, NodeThreadPool threadPool) {
    double waited = waitedNanos(position, now);
    return waited >= position.queuedRequest.remainingDeadlineNanos()
        || waited >= minRejectionWaitNanos(settings, threadPool);
  }

  private static double waitedNanos(QueuePosition<?> position, long now) {
    return Math.max(0L, now - position.arrivedNanos);
  }

  /** Returns a wait that is always allowed. */
  private static double minRejectionWaitNanos(QueueSettings settings, NodeThreadPool threadPool) {
    return settings.maxWaitNanos() > 0
        ? (double) settings.maxWaitNanos()
        : LATE_FACTOR * threadPool.minRejectionWaitNanos();
  }

  private boolean hasFewWaiting() {
    return settings.maxWaitNanos() == 0 && isAtMost(threadPool.toleratedWaiters());
  }

  /**
   * Returns whether at most so many clients' requests wait for the node. Parts that take over half
   * of the queue count each: one request of very many parts must leave room for others.
   */
  private boolean isAtMost(int requests) {
    int parts = nodeBacklog.allRequests.waiting();
    return parts <= requests
        || (nodeBacklog.allOrigins.count() <= requests && parts <= settings.maxWaiting() / 2);
  }

  /**
   * Returns why the request is rejected on arrival; null if it is not.
   *
   * @param ownRequests the tenant's waiting requests that are admitted first
   * @param requestsAhead the number of requests of all tenants that are admitted first
   */
  @Nullable QueueRejection checkOnArrival(int ownRequests, double requestsAhead) {
    if (waiting >= settings.maxWaiting()) {
      return newRejection(QueueRejection.Reason.QUEUE_FULL, 0, 0);
    }
    double wait =
        nodeBacklog.expectedWaitNanos(position.queuedRequest.demand().needs().size())
            * (requestsAhead + 1)
            / (nodeBacklog.bottleneckRequests.waiting() + 1);
    wait = Math.max(wait, (ownRequests + 1) * tenant.admissionIntervalNanos());
    double remaining = (double) position.queuedRequest.remainingDeadlineNanos();
    if (wait + position.costNanos > remaining || remaining <= 0) {
      return newRejection(QueueRejection.Reason.DEADLINE_BEFORE_TURN, wait, remaining);
    }
    if (hasFewWaiting()) {
      return null;
    }
    double allowed = allowedWaitNanos();
    return wait > allowed
        ? newRejection(QueueRejection.Reason.EXPECTED_WAIT_TOO_LONG, wait, allowed)
        : null;
  }

  /** Returns why the request is rejected after waiting, if a check is due; null if it is not. */
  @Nullable QueueRejection checkWhileWaiting() {
    double waited = waitedNanos(position, now);
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

  private QueueRejection newRejection(
      QueueRejection.Reason reason, double waitNanos, double maxWaitNanos) {
    QueueRejection.WaitMeasurement waits =
        new QueueRejection.WaitMeasurement(
            waiting, (long) waitNanos, (long) maxWaitNanos, settings.maxWaiting());
    return new QueueRejection(
        reason, position.queuedRequest.tenant(), fullestNode(), waits, retryAfter(waitNanos));
  }

  /** Returns {@code Retry-After}, in whole seconds from 1 to 60. */
  private static Duration retryAfter(double nanos) {
    return Duration.ofSeconds((long) Math.clamp(Math.ceil(nanos / 1e9), 1, 60));
  }

  /** Returns the node that blocks the request most. */
  private QueueRejection.FullNode fullestNode() {
    String tenant = position.queuedRequest.tenant();
    NodeConcurrencyLimiter fullest = null;
    for (NodeDemand.Need need : position.queuedRequest.demand().needs()) {
      NodeConcurrencyLimiter best = null;
      for (String nodeId : need.nodes()) {
        NodeConcurrencyLimiter limiter = limiters.limiter(nodeId, threadPool);
        best =
            best == null || limiter.freeSlotsFor(tenant) > best.freeSlotsFor(tenant)
                ? limiter
                : best;
      }
      if (best != null
          && (fullest == null || best.freeSlotsFor(tenant) < fullest.freeSlotsFor(tenant))) {
        fullest = best;
      }
    }
    return fullest == null
        ? new QueueRejection.FullNode("", threadPool, 0, 0)
        : fullest.fullNodeFor(tenant);
  }
}
