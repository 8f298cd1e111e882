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
 * node ({@link WorkClass#few}) only the last of these counts, and the policy's {@code
 * max-queue-wait}.
 *
 * <p>Allowed is the policy's {@code max-queue-wait} where it says one. Otherwise so much that it is
 * answered {@code 3 R0} after it came, R0 of its own class of cost where that is longer; or when as
 * many requests were answered as chance lets come together now and then, half of them once more
 * come than go: that is no chance. Never less than {@link WorkClass#leastWaitNanos}; nor than a
 * second while nothing waited less than a second ago, or no more come than go: so a burst that the
 * nodes work off within a second is let in, and so are clients that each wait for their answer
 * before they ask again.
 */
final class Patience<T> {
  private static final double LATE = 1.5;
  private static final int LATE_REQUESTS = 5;
  private static final double UNLESS_MORE_COME_NANOS = 1e9;
  private static final double ANSWERED_TIMES = 3;

  private final QueueTerms terms;
  private final WorkClass work;
  private final NodeLanes lanes;
  private final Place<T> place;
  private final Crowd<T> crowd;
  private final long now;
  private final int waiting;

  /**
   * A request that waits, or asks to.
   *
   * @param crowd at the node where it is judged
   * @param waiting requests of its class
   */
  record Case<T>(Place<T> place, Crowd<T> crowd, long now, int waiting) {}

  Patience(QueueTerms terms, WorkClass work, NodeLanes lanes, Case<T> one) {
    this.terms = terms;
    this.work = work;
    this.lanes = lanes;
    this.place = one.place();
    this.crowd = one.crowd();
    this.now = one.now();
    this.waiting = one.waiting();
  }

  /** For how long it may be going to wait. */
  double allowedNanos() {
    if (terms.maxWaitNanos() > 0) {
      return (double) terms.maxWaitNanos();
    }
    ResponseTimes times = lanes.times(work);
    double alone = Math.max(times.unloaded(), place.costNanos);
    boolean outgrows = crowd.all.outgrows(now);
    int chance = outgrows ? work.few() : work.usual();
    double answered = Math.max(ANSWERED_TIMES * alone, chance * crowd.all.interval());
    double least =
        outgrows ? work.leastWaitNanos() : Math.max(work.leastWaitNanos(), UNLESS_MORE_COME_NANOS);
    return Math.max(least, answered - times.lately());
  }

  private boolean fewWait() {
    return terms.maxWaitNanos() == 0 && crowd.all.waiting() <= work.few();
  }

  /** Why it is not taken; null when it is. */
  @Nullable QueueRefusal onArrival(double ahead) {
    if (waiting >= terms.waiting()) {
      return refusal(QueueRefusal.Reason.QUEUE_FULL, 0, 0);
    }
    double wait =
        crowd.expectedNanos(place.asking.demand().needs().size())
            * (ahead + 1)
            / (crowd.longest.waiting() + 1);
    double left = (double) place.asking.deadlineLeftNanos();
    if (wait + place.costNanos > left || left <= 0) {
      return refusal(QueueRefusal.Reason.DEADLINE, wait, left);
    }
    if (fewWait()) {
      return null;
    }
    double allowed = allowedNanos();
    return wait > allowed ? refusal(QueueRefusal.Reason.WOULD_WAIT, wait, allowed) : null;
  }

  /** Why it waits no longer; null when it does. */
  @Nullable QueueRefusal whileWaiting() {
    double waited = Math.max(0L, now - place.arrivedNanos);
    if (waited >= place.asking.deadlineLeftNanos()) {
      return refusal(QueueRefusal.Reason.DEADLINE, waited, 0);
    }
    if (fewWait()) {
      return null;
    }
    double allowed =
        terms.maxWaitNanos() > 0
            ? terms.maxWaitNanos()
            : LATE * allowedNanos() + LATE_REQUESTS * crowd.all.interval();
    return waited > allowed ? refusal(QueueRefusal.Reason.WAITED, waited, allowed) : null;
  }

  private QueueRefusal refusal(QueueRefusal.Reason reason, double nanos, double most) {
    QueueRefusal.Waits waits =
        new QueueRefusal.Waits(waiting, (long) nanos, (long) most, terms.waiting());
    return new QueueRefusal(
        reason, place.asking.tenant(), fullest(), waits, AdmissionQueue.retryAfter(nanos));
  }

  /** The node that stands most in its way. */
  private QueueRefusal.FullNode fullest() {
    NodeLane fullest = null;
    for (Demand.Need need : place.asking.demand().needs()) {
      NodeLane best = null;
      for (String nodeId : need.nodes()) {
        NodeLane lane = lanes.lane(nodeId, work);
        best = best == null || lane.free() > best.free() ? lane : best;
      }
      if (best != null && (fullest == null || best.free() < fullest.free())) {
        fullest = best;
      }
    }
    return fullest == null
        ? new QueueRefusal.FullNode("", work, 0, 0)
        : new QueueRefusal.FullNode(fullest.nodeId(), work, fullest.inFlight(), fullest.limit());
  }
}
