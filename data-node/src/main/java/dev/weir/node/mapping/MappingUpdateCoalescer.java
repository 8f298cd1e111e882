package dev.weir.node.mapping;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.admin.indices.mapping.put.AutoPutMappingAction;
import org.opensearch.action.admin.indices.mapping.put.PutMappingRequest;
import org.opensearch.action.support.ActionFilter;
import org.opensearch.action.support.ActionFilterChain;
import org.opensearch.action.support.ActionRequestMetadata;
import org.opensearch.action.support.ContextPreservingActionListener;
import org.opensearch.action.support.clustermanager.AcknowledgedResponse;
import org.opensearch.cluster.metadata.ProcessClusterEventTimeoutException;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.index.Index;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.Scheduler;
import org.opensearch.threadpool.ThreadPool;

/**
 * Lets one of several identical automatic mapping updates go on, and answers the others with its
 * result. Safe on any thread.
 *
 * <ul>
 *   <li>Success answers every update that was asked for while the one was in flight: its mapping is
 *       in the cluster state, where nothing removes a field from an index.
 *   <li>A failure that lies in the update itself (400 or 404) answers only updates that were asked
 *       for before the failed one was sent, each with a copy. Of the others, the first is sent.
 *   <li>After any other failure, such as a timeout or a cancelled task, the next update is sent,
 *       with the time that it has left itself.
 *   <li>An update that waits longer than its own timeout fails as it would in the cluster manager's
 *       queue.
 * </ul>
 */
public final class MappingUpdateCoalescer implements ActionFilter {
  /** After filters that check permissions, which have negative orders. */
  private static final int ORDER = 1000;

  private final ConcurrentMap<Key, Flight> flights = new ConcurrentHashMap<>();
  private final LongSupplier nanoClock;
  private volatile @Nullable Threads threads;

  /** What makes two updates identical: the acknowledgements waited for are part of it. */
  private record Key(Index index, String source, String origin, TimeValue ackTimeout) {}

  /** The node's threads. */
  private record Threads(ThreadContext context, Scheduler scheduler) {}

  /**
   * An update in flight, and those that wait for it. Changed only within an atomic operation of the
   * map.
   *
   * @param covered were asked for before the update was sent
   * @param later were asked for since
   */
  private record Flight(List<PendingUpdate> covered, List<PendingUpdate> later) {
    static Flight start(List<PendingUpdate> covered) {
      return new Flight(new ArrayList<>(covered), new ArrayList<>());
    }

    List<PendingUpdate> all() {
      List<PendingUpdate> all = new ArrayList<>(covered);
      all.addAll(later);
      return all;
    }

    boolean remove(PendingUpdate update) {
      return covered.remove(update) || later.remove(update);
    }
  }

  /** Creates a filter that lets everything pass until {@link #setThreads}. */
  public MappingUpdateCoalescer() {
    this(System::nanoTime);
  }

  MappingUpdateCoalescer(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Sets the node's thread context, and its scheduler for timeouts and for updates sent later. */
  public void setThreads(ThreadContext context, Scheduler scheduler) {
    threads = new Threads(context, scheduler);
  }

  @Override
  public int order() {
    return ORDER;
  }

  @Override
  @SuppressWarnings("unchecked") // the action has these types
  public <T extends ActionRequest, R extends ActionResponse> void apply(
      Task task,
      String action,
      T request,
      ActionRequestMetadata<T, R> metadata,
      ActionListener<R> listener,
      ActionFilterChain<T, R> chain) {
    Threads node = threads;
    if (node == null
        || !action.equals(AutoPutMappingAction.NAME)
        || !(request instanceof PutMappingRequest update)
        || update.getConcreteIndex() == null) {
      chain.proceed(task, action, request, listener);
      return;
    }
    join(
        node,
        new Key(update.getConcreteIndex(), update.source(), update.origin(), update.timeout()),
        new PendingUpdate(
            task,
            update,
            ContextPreservingActionListener.wrapPreservingContext(
                (ActionListener<AcknowledgedResponse>) listener, node.context()),
            (ActionFilterChain<PutMappingRequest, AcknowledgedResponse>) chain,
            node.context().newRestorableContext(false),
            nanoClock.getAsLong()));
  }

  private void join(Threads node, Key key, PendingUpdate update) {
    boolean[] isFirst = {false};
    flights.compute(
        key,
        (same, flight) -> {
          if (flight == null) {
            isFirst[0] = true;
            return Flight.start(List.of());
          }
          startTimer(node, key, update);
          flight.later().add(update);
          return flight;
        });
    if (isFirst[0]) {
      send(node, key, update);
    }
  }

  private void startTimer(Threads node, Key key, PendingUpdate update) {
    TimeValue timeout = update.timeout();
    if (timeout.nanos() >= 0) {
      update.setTimer(
          node.scheduler()
              .schedule(() -> onTimeout(key, update), timeout, ThreadPool.Names.GENERIC));
    }
  }

  private void onTimeout(Key key, PendingUpdate update) {
    boolean[] isWaiting = {false};
    flights.computeIfPresent(
        key,
        (same, flight) -> {
          isWaiting[0] = flight.remove(update);
          return flight;
        });
    if (isWaiting[0]) {
      update.fail(
          new ProcessClusterEventTimeoutException(
              update.timeout(), "put-mapping of " + key.index() + ", behind an identical one"));
    }
  }

  private void send(Threads node, Key key, PendingUpdate update) {
    ActionListener<AcknowledgedResponse> answers =
        ActionListener.notifyOnce(
            new ActionListener<AcknowledgedResponse>() {
              @Override
              public void onResponse(AcknowledgedResponse response) {
                onAcknowledged(key, update, response);
              }

              @Override
              public void onFailure(Exception failure) {
                onFailed(node, key, update, failure);
              }
            });
    try {
      update.send(AutoPutMappingAction.NAME, nanoClock.getAsLong(), answers);
    } catch (RuntimeException failure) {
      answers.onFailure(failure);
    }
  }

  private void onAcknowledged(Key key, PendingUpdate sent, AcknowledgedResponse response) {
    Flight flight = flights.remove(key);
    sent.succeed(response);
    if (flight != null) {
      flight.all().forEach(update -> update.succeed(response));
    }
  }

  private void onFailed(Threads node, Key key, PendingUpdate sent, Exception failure) {
    List<PendingUpdate> answered = new ArrayList<>();
    List<PendingUpdate> cancelled = new ArrayList<>();
    PendingUpdate[] next = {null};
    flights.computeIfPresent(
        key,
        (same, flight) -> {
          boolean isShared = isFaultOfUpdate(failure);
          List<PendingUpdate> waiting = new ArrayList<>();
          for (PendingUpdate update : isShared ? flight.later() : flight.all()) {
            (update.isCancelled() ? cancelled : waiting).add(update);
          }
          if (isShared) {
            answered.addAll(flight.covered());
          }
          if (waiting.isEmpty()) {
            return null;
          }
          next[0] = waiting.removeFirst();
          return Flight.start(waiting);
        });
    if (next[0] != null) {
      next[0].stopTimer();
      sendLater(node, key, next[0]);
    }
    sent.fail(failure);
    answered.forEach(update -> update.fail(FailureCopier.copy(failure)));
    cancelled.forEach(
        update -> update.fail(new TaskCancelledException("the mapping update was cancelled")));
  }

  /** Sends on another thread: it may fail at once, as may all those behind it. */
  private void sendLater(Threads node, Key key, PendingUpdate update) {
    try {
      node.scheduler()
          .schedule(() -> send(node, key, update), TimeValue.ZERO, ThreadPool.Names.GENERIC);
    } catch (RuntimeException stopping) {
      onFailed(node, key, update, stopping);
    }
  }

  /** Returns whether an identical update would have failed in the same way at that time. */
  private static boolean isFaultOfUpdate(Exception failure) {
    RestStatus status = ExceptionsHelper.status(ExceptionsHelper.unwrapCause(failure));
    return status == RestStatus.BAD_REQUEST || status == RestStatus.NOT_FOUND;
  }

  /** Returns the number of updates in flight. */
  int inFlight() {
    return flights.size();
  }
}
