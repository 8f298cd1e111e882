package dev.weir.bluegreen.traffic;

import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.model.ReleasableRequests;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases the requests that a cut-over left behind on a dead cluster. Once the weights of a policy
 * no longer send anything to a cluster, the watch asks the cluster's nodes every second whether
 * they answer, as long as requests of that policy are under way there. When none answers two
 * questions in a row, it releases those that were under way before the first of them. A slow
 * cluster answers, so its requests finish. Safe on any thread.
 *
 * <pre>
 *   weights leave the cluster --> ask --one answers--> wait a second, ask again while requests are left
 *                                  `---none answers--> ask once more --none answers--> release; ask until one answers
 * </pre>
 */
public final class CutoverWatch implements AutoCloseable {
  /**
   * How long a node has time for an answer. With {@link #SECOND_PING_DELAY}, a node that nothing
   * stops for two seconds answers one of two questions.
   */
  static final Duration PING_TIMEOUT = Duration.ofMillis(750);

  /** The pause after a first question without an answer. */
  static final Duration SECOND_PING_DELAY = Duration.ofMillis(500);

  static final Duration PING_INTERVAL = Duration.ofSeconds(1);

  private static final int UNANSWERED_PINGS = 2;

  private static final Logger LOGGER = LoggerFactory.getLogger(CutoverWatch.class);

  private final List<ClusterWatch> watches;
  private final DelayScheduler delays;
  private final Executor executor;
  private final LongAdder released = new LongAdder();
  private volatile boolean closed;

  /**
   * Creates a watch that is idle.
   *
   * @param clusters of the gateway
   * @param delays schedules the questions
   * @param executor asks and releases; not an event loop
   */
  public CutoverWatch(
      List<? extends UpstreamCluster> clusters, DelayScheduler delays, Executor executor) {
    this.delays = delays;
    this.executor = executor;
    this.watches =
        clusters.stream()
            .filter(cluster -> cluster.releasableRequests() != null)
            .map(ClusterWatch::new)
            .toList();
  }

  /** Compares the weights in force with those before. */
  void onWeightsChanged(RoutingSnapshot before, RoutingSnapshot now) {
    watches.forEach(watch -> watch.onWeightsChanged(before, now));
  }

  /** The number of requests that were released. */
  long releasedRequests() {
    return released.sum();
  }

  @Override
  public void close() {
    closed = true;
  }

  /** The watch of one cluster. */
  private final class ClusterWatch {
    private final UpstreamCluster cluster;
    private final ReleasableRequests requests;
    private boolean running;

    /** Questions in a row without an answer; only the outcomes of questions change it. */
    private volatile int unanswered;

    /** The newest request before the newest question without an answer. */
    private volatile long askedBefore;

    ClusterWatch(UpstreamCluster cluster) {
      ReleasableRequests underWay = cluster.releasableRequests();
      this.cluster = cluster;
      this.requests = underWay == null ? new ReleasableRequests() : underWay;
      requests.setLeftRequestListener(this::start);
    }

    void onWeightsChanged(RoutingSnapshot before, RoutingSnapshot now) {
      synchronized (this) {
        Set<String> left = new HashSet<>(requests.leftPolicies());
        for (TrafficPlan former : before.allPlans()) {
          if (former.split().clusters().contains(cluster.name())) {
            left.add(former.name());
          }
        }
        left.removeIf(policy -> planOf(policy, now).split().clusters().contains(cluster.name()));
        requests.setLeftPolicies(left);
      }
      if (requests.hasLeftRequests()) {
        start();
      }
    }

    /** The plan of a policy; requests of one that was removed count as those without a policy. */
    private static TrafficPlan planOf(String policy, RoutingSnapshot snapshot) {
      return snapshot.plans().getOrDefault(policy, snapshot.defaultPlan());
    }

    private synchronized void start() {
      if (!running) {
        running = true;
        unanswered = 0;
        executor.execute(this::ask);
      }
    }

    private void ask() {
      synchronized (this) {
        boolean needed =
            !closed
                && !requests.leftPolicies().isEmpty()
                && (requests.hasLeftRequests() || requests.isUnresponsive());
        if (!needed) {
          requests.setUnresponsive(false);
          running = false;
          return;
        }
      }
      long upTo = requests.lastNumber();
      try {
        cluster.ping(PING_TIMEOUT, answered -> executor.execute(() -> onOutcome(answered, upTo)));
      } catch (RuntimeException e) {
        LOGGER.warn("can't ask the nodes of cluster {}", cluster.name(), e);
        delays.schedule(PING_INTERVAL, executor, this::ask);
      }
    }

    private void onOutcome(boolean answered, long upTo) {
      int inRow = answered ? 0 : Math.min(UNANSWERED_PINGS, unanswered + 1);
      long before = askedBefore;
      unanswered = inRow;
      askedBefore = upTo;
      if (inRow == 1) {
        delays.schedule(SECOND_PING_DELAY, executor, this::ask);
        return;
      }
      try {
        apply(answered, before);
      } catch (RuntimeException e) {
        LOGGER.warn("can't release requests of cluster {}", cluster.name(), e);
      }
      delays.schedule(PING_INTERVAL, executor, this::ask);
    }

    private void apply(boolean answered, long upTo) {
      boolean dead = !answered && !closed && !requests.leftPolicies().isEmpty();
      boolean news = dead != requests.isUnresponsive();
      requests.setUnresponsive(dead);
      if (dead) {
        int now = requests.release(upTo);
        released.add(now);
        if (now > 0 || news) {
          LOGGER.warn(
              "no node of cluster {} answers and its traffic was sent elsewhere: released {}"
                  + " requests",
              cluster.name(),
              now);
        }
      } else if (news && answered) {
        LOGGER.info("cluster {} answers again", cluster.name());
      }
    }
  }
}
