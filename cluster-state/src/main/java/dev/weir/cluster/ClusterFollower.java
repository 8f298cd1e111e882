package dev.weir.cluster;

import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.Metadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a cluster without joining it: finds its nodes from seeds, keeps the newest view of its
 * state, and keeps serving that view, with its age, whatever happens to the cluster. Watches on
 * virtual threads; every public method is safe on any thread.
 *
 * <p>Four threads: one looks at the nodes in turn and reads the state when it changed, one waits at
 * a node for metadata changes, one checks the seeds, and short ones ask new nodes for their REST
 * address.
 */
public final class ClusterFollower implements ClusterViews, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterFollower.class);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(100);
  private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);
  private static final Duration AFTER_DEFECT = Duration.ofSeconds(1);
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);
  private static final long FACTS_RETRY_NANOS = Duration.ofSeconds(2).toNanos();
  private static final double JITTER = 0.1;

  private final FollowOptions options;
  private final NodeAccess access;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final Views views;
  private final Troubles troubles = new Troubles();
  private final NodeFacts facts;
  private final Publisher publisher;
  private final Candidates candidates;
  private final Rescue rescue;
  private final Watch watch;
  private final MetadataWatch metadataWatch;
  private final SeedCheck seedCheck;
  private final Semaphore alarm = new Semaphore(0);
  private final AtomicBoolean learning = new AtomicBoolean();
  private final AtomicBoolean watching = new AtomicBoolean();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable Self> other = new AtomicReference<>();
  private volatile boolean factsLearned;
  private long factsAskedNanos;
  private boolean closed;

  /**
   * Makes a follower that does nothing until it is started.
   *
   * @param access how nodes are reached; stays the caller's
   * @param registries read the state; the cluster's settings are applied to their cluster settings
   * @param nanoTime the clock, {@link System#nanoTime()}
   * @param random spreads what gateways do at the same time
   */
  public ClusterFollower(
      FollowOptions options,
      NodeAccess access,
      OpenSearchRegistries registries,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this.options = options;
    this.access = access;
    this.nanoTime = nanoTime;
    this.random = random;
    this.views = new Views(ClusterView.empty(nanoTime.getAsLong()));
    views.listen(new SettingsApplier(registries.clusterSettings()));
    Calls calls = new Calls(options.headers());
    this.facts = new NodeFacts(calls, registries.clusterSettings());
    Self self = Self.of(options.self().name(), options.self().attributes());
    this.publisher = new Publisher(self, access, facts, views, nanoTime);
    this.candidates = new Candidates(access.clients(), random.nextInt());
    StateReader reader = new StateReader(calls, registries.writeables());
    SeedHunt hunt = new SeedHunt(access, nanoTime);
    this.rescue = new Rescue(options, hunt, reader, publisher, facts, troubles);
    this.watch = new Watch(reader, candidates, publisher, rescue, troubles, nanoTime);
    StateReader aside = new StateReader(calls, registries.writeables());
    this.metadataWatch =
        new MetadataWatch(
            aside, new Candidates(access.clients(), random.nextInt()), views, this::newerAt);
    this.seedCheck = new SeedCheck(options.seeds(), hunt, aside, views, troubles);
    this.factsAskedNanos = nanoTime.getAsLong() - FACTS_RETRY_NANOS;
  }

  /** Gives the gateway other attributes, such as zone, in all views from now on. */
  public void attributes(Map<String, String> attributes) {
    other.set(Self.of(options.self().name(), attributes));
    alarm.release();
  }

  /** Something that runs until interrupted. */
  private interface Duty {
    void run() throws InterruptedException;
  }

  /** Begins to follow; once. */
  public synchronized void start() {
    begin("weir-cluster-watch", this::follow);
  }

  /** Calls the listener with every view that differs from the one before it. */
  public void onChange(ViewListener listener) {
    views.listen(listener);
  }

  /** Completes, on the watching thread, with the first view of the cluster. */
  public CompletionStage<ClusterView> first() {
    return views.first().minimalCompletionStage();
  }

  @Override
  public ClusterView current() {
    return views.newest();
  }

  @Override
  public CompletionStage<ClusterView> refresh(ClusterView stale) {
    CompletionStage<ClusterView> answer = views.refresh();
    alarm.release();
    return answer;
  }

  /** How often another cluster was found at the addresses of the one that was followed. */
  public long rebuilt() {
    return rescue.rebuilt();
  }

  /** How the gateway stands with the cluster now. */
  public ClusterStatus status() {
    ClusterView view = views.newest();
    Metadata metadata = view.state().metadata();
    boolean known = !metadata.clusterUUID().equals(Metadata.UNKNOWN_CLUSTER_UUID);
    return new ClusterStatus(
        known
            ? new ClusterStatus.Identity(
                view.state().getClusterName().value(), metadata.clusterUUID())
            : null,
        Position.of(view.state()),
        Duration.ofNanos(nanoTime.getAsLong() - view.readAtNanos()),
        publisher.unknownParts(),
        new ClusterStatus.Nodes(
            view.nodes().size(),
            connected(view),
            view.state().nodes().getClusterManagerNodeId() != null),
        troubles.now());
  }

  /**
   * Why no node can be reached, and what was tried; null while one can, or may. Cheap while all is
   * well.
   */
  public @Nullable String unreachable() {
    String trouble = troubles.lastError();
    ClusterView view = views.newest();
    if (view.nodes().isEmpty()) {
      return "the gateway has not heard from the cluster yet, asking "
          + options.seeds().hosts()
          + (trouble == null ? "" : ": " + trouble);
    }
    return trouble == null || connected(view) > 0
        ? null
        : "no node of the cluster can be reached: " + trouble;
  }

  private int connected(ClusterView view) {
    int connected = 0;
    for (String id : view.nodes().keySet()) {
      NodeClient client = access.clients().byId(id);
      connected += client != null && client.connected() ? 1 : 0;
    }
    return connected;
  }

  /** Stops following; the newest view stays. */
  @Override
  public synchronized void close() {
    closed = true;
    threads.forEach(Thread::interrupt);
    threads.clear();
  }

  private synchronized void begin(String name, Duty duty) {
    if (closed) {
      return;
    }
    threads.add(
        Thread.ofVirtual()
            .name(name)
            .start(() -> {
              try {
                while (true) {
                  perform(name, duty);
                  Thread.sleep(AFTER_DEFECT);
                }
              } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
              }
            }));
  }

  /** A duty that ends by a defect is taken up again: without it the view would stand still. */
  private void perform(String name, Duty duty) throws InterruptedException {
    try {
      duty.run();
    } catch (RuntimeException | Error defect) {
      troubles.broke(name, defect);
    }
  }

  private void follow() throws InterruptedException {
    Duration backoff = FIRST_BACKOFF;
    while (true) {
      if (look()) {
        if (watching.compareAndSet(false, true)) {
          begin("weir-cluster-metadata", metadataWatch::run);
          begin("weir-cluster-seeds", seedCheck::run);
        }
        backoff = FIRST_BACKOFF;
        Thread.sleep(SHORTEST_PAUSE);
        long pause = jittered(options.pollInterval());
        long owed = watch.owedNanos(views.awaited());
        alarm.tryAcquire(owed > 0 ? Math.min(owed, pause) : pause, TimeUnit.NANOSECONDS);
        alarm.drainPermits();
      } else {
        Thread.sleep(Duration.ofNanos(jittered(backoff)));
        Duration doubled = backoff.multipliedBy(2);
        backoff = doubled.compareTo(LONGEST_BACKOFF) > 0 ? LONGEST_BACKOFF : doubled;
      }
    }
  }

  private boolean look() throws InterruptedException {
    Views.Refresh due = views.takeWaiting();
    boolean heard = false;
    try {
      Self now = other.getAndSet(null);
      if (now != null) {
        publisher.become(now);
      }
      if (factsLearned) {
        factsLearned = false;
        publisher.republish();
      }
      heard = watch.look(due != null);
      if (heard) {
        learnFacts();
      }
    } catch (RuntimeException | Error defect) {
      troubles.broke("look at the cluster", defect);
    } finally {
      if (due != null) {
        views.settle(due, heard && watch.owedNanos(true) == 0);
      }
    }
    return heard;
  }

  private void learnFacts() {
    List<NodeClient> nodes = candidates.inTurn(views.newest());
    Set<String> silent = publisher.silent();
    long now = nanoTime.getAsLong();
    if (silent.isEmpty()
        || nodes.isEmpty()
        || now - factsAskedNanos < FACTS_RETRY_NANOS
        || !learning.compareAndSet(false, true)) {
      return;
    }
    factsAskedNanos = now;
    Thread.ofVirtual().name("weir-cluster-facts").start(() -> learnFacts(nodes.getFirst(), silent));
  }

  private void learnFacts(NodeClient node, Set<String> silent) {
    try {
      factsLearned = facts.learn(node, silent);
    } catch (NodeFailure refused) {
      LOG.debug("nodes info not read", refused);
      askThemselves(silent);
    } catch (InterruptedException never) {
      Thread.currentThread().interrupt();
    } finally {
      learning.set(false);
      alarm.release();
    }
  }

  private void askThemselves(Set<String> silent) {
    for (String id : silent) {
      NodeClient node = access.clients().byId(id);
      if (node == null || !node.connected()) {
        continue;
      }
      try {
        factsLearned |= facts.learnOf(node);
      } catch (NodeFailure unreachable) {
        LOG.debug("node info not read", unreachable);
      } catch (InterruptedException never) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void newerAt(NodeClient node) {
    watch.hint(node);
    alarm.release();
  }

  private long jittered(Duration duration) {
    return (long) (duration.toNanos() * (1 + JITTER * (2 * random.nextDouble() - 1)));
  }
}
