package dev.weir.cluster.bounds;

import dev.weir.config.policy.TimePruningPolicy;
import dev.weir.cluster.Calls;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViews;
import dev.weir.cluster.Position;
import dev.weir.cluster.ViewListener;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.NodeFailure;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.regex.Regex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns the bounds of the indices that the policy names, sealed ones first, some at a time, one
 * after the other, with a pause after each and none while nodes are busy. On one virtual thread;
 * the public methods are safe on any thread.
 */
public final class BoundsLearner implements ViewListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BoundsLearner.class);

  /** Indices for which the writes under way are waited for together. */
  private static final int BATCH = 32;

  private static final Duration LOOK_AGAIN = Duration.ofSeconds(2);
  private static final Duration WHILE_BUSY = Duration.ofSeconds(1);
  private static final long FIRST_RETRY_MILLIS = Duration.ofSeconds(1).toMillis();
  private static final long LAST_RETRY_MILLIS = Duration.ofMinutes(5).toMillis();
  private static final int MOST_RETRIES = 100_000;
  private static final Duration POSITIONS = Duration.ofSeconds(5);

  private final LearnedBounds learned;
  private final BoundsReader reader;
  private final NodePositions positions;
  private final Nodes nodes;
  private final Semaphore alarm = new Semaphore(0);
  private final LongAdder failures = new LongAdder();

  private final InstantSource clock;

  /** By index uuid, when it may be tried again; the learning thread's own. */
  private final Map<String, Retry> retries = new HashMap<>();

  private volatile TimePruningPolicy policy = TimePruningPolicy.none();
  private volatile String lastFailure = "";
  private @Nullable Thread thread;
  private boolean closed;

  /**
   * How nodes are reached.
   *
   * @param views where the newest view is
   * @param clients reach nodes
   * @param busy whether nodes have enough to do without this
   */
  public record Nodes(ClusterViews views, NodeClients clients, BooleanSupplier busy) {}

  /** When an index that was not learned may be tried again; the next time it takes twice that. */
  private record Retry(long atMillis, long pauseMillis) {}

  BoundsLearner(
      LearnedBounds learned,
      BoundsReader reader,
      NodePositions positions,
      Nodes nodes,
      InstantSource clock) {
    this.clock = clock;
    this.learned = learned;
    this.reader = reader;
    this.positions = positions;
    this.nodes = nodes;
  }

  /** Makes one that learns nothing until a policy names indices. */
  public static BoundsLearner of(
      LearnedBounds learned, NodePositions positions, Nodes nodes, InstantSource clock) {
    return new BoundsLearner(
        learned, new BoundsReader(new Calls(Map.of())), positions, nodes, clock);
  }

  /** Learns by another policy from now on. */
  public synchronized void use(TimePruningPolicy changed) {
    if (!changed.indices().equals(policy.indices())
        || !changed.timeFields().equals(policy.timeFields())
        || learned.size() > changed.maxIndices()) {
      learned.forget();
    }
    policy = changed;
    if (changed.enabled() && thread == null && !closed) {
      thread = Thread.ofVirtual().name("weir-bounds").start(this::run);
    }
    alarm.release();
  }

  /** How many attempts to learn an index failed. */
  public long failures() {
    return failures.sum();
  }

  /** Why the newest attempt that failed did; empty before the first one. */
  public String lastFailure() {
    return lastFailure;
  }

  @Override
  public void changed(ClusterView before, ClusterView now) {
    if (policy.enabled() && alarm.availablePermits() == 0) {
      alarm.release();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (thread != null) {
      thread.interrupt();
    }
  }

  private void run() {
    try {
      while (true) {
        try {
          while (learnSome()) {
            // on to the next ones
          }
        } catch (RuntimeException | Error defect) {
          LOG.error("learning of bounds failed", defect);
        }
        alarm.tryAcquire(LOOK_AGAIN.toNanos(), TimeUnit.NANOSECONDS);
        alarm.drainPermits();
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  /** Learns some indices; says whether there may be more. */
  private boolean learnSome() throws InterruptedException {
    TimePruningPolicy now = policy;
    if (!now.enabled()) {
      return false;
    }
    ClusterView view = nodes.views().current();
    List<IndexMetadata> due = due(view, now, true);
    boolean sealed = !due.isEmpty();
    if (!sealed) {
      due = due(view, now, false);
      if (due.isEmpty()) {
        return false;
      }
    }
    if (nodes.busy().getAsBoolean()) {
      Thread.sleep(WHILE_BUSY);
      return true;
    }
    Set<String> holders = new HashSet<>();
    for (IndexMetadata index : due) {
      Set<String> own = SealedIndices.holders(view.state(), index, true);
      holders.addAll(own == null ? Set.of() : own);
    }
    NodeClient via = via(holders);
    if (via == null) {
      return false; // none is connected yet, or any more
    }
    String obstacle = sealed ? obstacle(via, holders, view) : null;
    if (obstacle != null) {
      for (IndexMetadata index : due) {
        failed(index, obstacle);
      }
      return false;
    }
    for (IndexMetadata index : due) {
      if (!policy.equals(now) || nodes.busy().getAsBoolean()) {
        return true;
      }
      learn(via, index, now, sealed);
      Thread.sleep(now.pause());
    }
    return true;
  }

  /** Why nothing can be learned of sealed indices now; null where it can. */
  private @Nullable String obstacle(NodeClient via, Set<String> holders, ClusterView view)
      throws InterruptedException {
    try {
      if (!reached(holders, view)) {
        return "not all nodes with a copy say that they have applied the block";
      }
      return reader.drained(via, holders) ? null : "writes are under way";
    } catch (NodeFailure failure) {
      return "writes under way not heard of: " + failure.getMessage();
    }
  }

  private void learn(NodeClient via, IndexMetadata index, TimePruningPolicy now, boolean sealed)
      throws InterruptedException {
    try {
      BoundsReader.Reading read = reader.read(via, index, now.timeFields(), sealed);
      if (read.bounds().isEmpty()) {
        failed(index, read.obstacle());
        return;
      }
      keep(
          new LearnedIndex(
              index.getIndex().getName(),
              index.getIndexUUID(),
              LearnedIndex.Versions.of(index),
              read.bounds(),
              clock.instant(),
              sealed),
          now);
    } catch (NodeFailure failure) {
      failed(index, failure.getMessage());
    }
  }

  private synchronized void keep(LearnedIndex index, TimePruningPolicy by) {
    retries.remove(index.uuid());
    if (policy.equals(by)) {
      learned.learn(index);
    }
  }

  private void failed(IndexMetadata index, @Nullable String why) {
    failures.increment();
    lastFailure = index.getIndex().getName() + ": " + why;
    LOG.debug("not learned: {}", lastFailure);
    if (retries.size() > MOST_RETRIES) {
      retries.clear(); // most are of indices that are gone
    }
    retries.compute(
        index.getIndexUUID(),
        (uuid, before) -> {
          long pause =
              before == null
                  ? FIRST_RETRY_MILLIS
                  : Math.min(LAST_RETRY_MILLIS, 2 * before.pauseMillis());
          return new Retry(clock.millis() + pause, pause);
        });
  }

  private boolean resting(IndexMetadata index) {
    Retry retry = retries.get(index.getIndexUUID());
    return retry != null && clock.millis() < retry.atMillis();
  }

  private boolean reached(Set<String> holders, ClusterView view) throws InterruptedException {
    CompletableFuture<Boolean> told = new CompletableFuture<>();
    positions.whetherAllReached(holders, Position.of(view.state()), told::complete);
    try {
      return told.get(POSITIONS.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException never) {
      return false;
    }
  }

  private @Nullable NodeClient via(Set<String> holders) {
    for (String id : holders) {
      NodeClient client = nodes.clients().byId(id);
      if (client != null && client.connected()) {
        return client;
      }
    }
    return null;
  }

  /**
   * Indices that the policy names and that are not known, in no order.
   *
   * @param sealed whether those that are kept from writes, or the others
   */
  private List<IndexMetadata> due(ClusterView view, TimePruningPolicy now, boolean sealed) {
    List<IndexMetadata> due = new ArrayList<>();
    int room = now.maxIndices() - learned.size();
    for (IndexMetadata index : view.state().metadata().indices().values()) {
      if (due.size() == BATCH) {
        break;
      }
      if (resting(index)
          || learned.has(view.state(), index)
          || SealedIndices.sealed(view.state(), index) != sealed
          || index.getState() != IndexMetadata.State.OPEN
          || !named(view, index, now)
          || SealedIndices.holders(view.state(), index, true) == null) {
        continue;
      }
      if (learned.replaces(index, room <= 0 && sealed)) {
        due.add(index);
      } else if (room > 0) {
        room--;
        due.add(index);
      }
    }
    return due;
  }

  private static boolean named(ClusterView view, IndexMetadata index, TimePruningPolicy now) {
    String name = index.getIndex().getName();
    if (Regex.simpleMatch(now.indices(), name)) {
      return true;
    }
    IndexAbstraction known = view.state().metadata().getIndicesLookup().get(name);
    return known != null
        && known.getParentDataStream() != null
        && Regex.simpleMatch(now.indices(), known.getParentDataStream().getName());
  }
}
