package dev.weir.node.state;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.ClusterChangedEvent;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.ClusterStateListener;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.threadpool.Scheduler;
import org.opensearch.threadpool.ThreadPool;

/**
 * The last steps of the cluster state on this node, and the gateways that wait for the next one.
 * Safe on any thread. The thread that applies states only leaves them here; a thread of the generic
 * pool writes the steps, one after the other.
 *
 * <p>It keeps bytes and no old state: at most {@value #MAX_STEPS} steps and {@value #MAX_BYTES}
 * bytes. Without a request for {@value #IDLE_MILLIS} ms it keeps nothing but the newest state, and
 * writes nothing.
 */
public final class StateChangeLog implements ClusterStateListener {
  private static final Logger LOG = LogManager.getLogger(StateChangeLog.class);
  private static final int MAX_STEPS = 512;
  private static final int MAX_BYTES = 4 << 20;
  private static final int MAX_UNWRITTEN = 64;
  private static final int MAX_WAITING = 1000;
  private static final long IDLE_MILLIS = 120_000;

  private final ThreadPool threads;
  private final LongSupplier millis;
  private final Deque<Step> steps = new ArrayDeque<>();
  private final Deque<ClusterState> unwritten = new ArrayDeque<>();
  private final List<Waiting> waiting = new ArrayList<>();
  private volatile @Nullable ClusterState newest;
  private int stepBytes;
  private boolean isWriting;
  private boolean hasClusterManager;
  private long lastRequestMillis = -IDLE_MILLIS;

  /** The change from one state to another, by the uuid of the first. */
  private record Step(String from, BytesReference bytes) {}

  /** A request without an answer. */
  private record Waiting(
      StateDiffRequest request,
      ActionListener<StateDiffResponse> listener,
      AtomicReference<Scheduler.@Nullable Cancellable> timeout) {
    void answer(StateDiffResponse response) {
      cancelTimeout();
      try {
        listener.onResponse(response);
      } catch (RuntimeException e) { // of another plugin, which must not keep others waiting
        LOG.warn("can't answer a gateway that waits for the next cluster state", e);
      }
    }

    void fail(Exception defect) {
      cancelTimeout();
      try {
        listener.onFailure(defect);
      } catch (RuntimeException e) {
        LOG.warn("can't tell a gateway that a cluster state can't be sent", e);
      }
    }

    private void cancelTimeout() {
      Scheduler.Cancellable scheduled = timeout.get();
      if (scheduled != null) {
        scheduled.cancel();
      }
    }
  }

  /** A request and its answer, which is given outside of the lock. */
  private record Answer(Waiting to, StateDiffResponse response) {
    void send() {
      to.answer(response);
    }
  }

  StateChangeLog(ThreadPool threads) {
    this.threads = threads;
    this.millis = threads::relativeTimeInMillis;
  }

  @Override
  public void clusterChanged(ClusterChangedEvent event) {
    List<Answer> answers;
    synchronized (this) {
      ClusterState state = event.state();
      hasClusterManager = state.nodes().getClusterManagerNodeId() != null;
      if (hasClusterManager) {
        add(state);
      }
      answers = takeAnswers();
    }
    answers.forEach(Answer::send);
  }

  /** Takes a state; one that only lost its cluster manager has the uuid of the state before. */
  private void add(ClusterState state) {
    ClusterState last = unwritten.isEmpty() ? newest : unwritten.getLast();
    if (last != null && last.stateUUID().equals(state.stateUUID())) {
      return;
    }
    if (!isWriting && waiting.isEmpty() && millis.getAsLong() - lastRequestMillis > IDLE_MILLIS) {
      steps.clear();
      stepBytes = 0;
      newest = state;
      return;
    }
    if (unwritten.size() >= MAX_UNWRITTEN) {
      unwritten.removeLast(); // the next step then leads over both
    }
    unwritten.add(state);
    if (!isWriting) {
      try {
        threads.generic().execute(this::writeSteps);
        isWriting = true;
      } catch (RejectedExecutionException closing) {
        unwritten.clear(); // the node ends
      }
    }
  }

  /** Answers a request as soon as the node has another state than the gateway. */
  void await(StateDiffRequest request, ActionListener<StateDiffResponse> listener) {
    Waiting one = new Waiting(request, listener, new AtomicReference<>());
    @Nullable StateDiffResponse response;
    synchronized (this) {
      lastRequestMillis = millis.getAsLong();
      response = answer(request);
      if (response == null) {
        if (waiting.size() >= MAX_WAITING) {
          throw new OpenSearchRejectedExecutionException(
              "too many gateways wait for the next cluster state: got "
                  + waiting.size()
                  + " (expected: fewer than "
                  + MAX_WAITING
                  + ")");
        }
        one.timeout()
            .set(threads.schedule(() -> timeOut(one), request.maxWait(), ThreadPool.Names.SAME));
        waiting.add(one);
      }
    }
    if (response != null) {
      one.answer(response);
    }
  }

  private void timeOut(Waiting one) {
    synchronized (this) {
      if (!waiting.remove(one)) {
        return; // it has its answer
      }
    }
    one.answer(StateDiffResponse.UNCHANGED);
  }

  /** Returns the answer to a request; null if it has to wait. */
  private @Nullable StateDiffResponse answer(StateDiffRequest request) {
    ClusterState last = newest;
    if (!hasClusterManager || last == null) {
      return StateDiffResponse.NO_CLUSTER_MANAGER;
    }
    if (request.stateUuid().equals(last.stateUUID())) {
      return null;
    }
    List<BytesReference> found = new ArrayList<>();
    for (Step step : steps) {
      if (!found.isEmpty() || step.from().equals(request.stateUuid())) {
        found.add(step.bytes());
      }
    }
    if (!found.isEmpty()) {
      return StateDiffResponse.of(found);
    }
    boolean isLater = isWriting || request.isAfter(last.term(), last.version());
    return isLater ? null : StateDiffResponse.UNKNOWN_STATE;
  }

  private List<Answer> takeAnswers() {
    List<Answer> answers = new ArrayList<>();
    for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); ) {
      Waiting one = all.next();
      StateDiffResponse response = answer(one.request());
      if (response != null) {
        all.remove();
        answers.add(new Answer(one, response));
      }
    }
    return answers;
  }

  /** Writes a step to each state that is not written yet. */
  private void writeSteps() {
    for (ClusterState to = next(); to != null; to = next()) {
      ClusterState from = newest;
      BytesReference bytes = null;
      Exception defect = null;
      if (from != null) {
        try {
          bytes = StateStepWriter.write(from, to);
        } catch (IOException | RuntimeException unwritable) {
          defect = unwritable;
        }
      }
      List<Answer> answers;
      List<Waiting> failed = List.of();
      synchronized (this) {
        unwritten.remove();
        newest = to;
        if (from == null || bytes == null) {
          steps.clear();
          stepBytes = 0;
        } else {
          addStep(new Step(from.stateUUID(), bytes));
        }
        if (defect != null) {
          failed = List.copyOf(waiting);
          waiting.clear();
        }
        answers = takeAnswers();
      }
      for (Waiting one : failed) {
        one.fail(Objects.requireNonNull(defect));
      }
      answers.forEach(Answer::send);
    }
  }

  /** Returns the next state to write; null if there is none, and the writing ends. */
  private @Nullable ClusterState next() {
    List<Answer> answers;
    synchronized (this) {
      ClusterState next = unwritten.peek();
      if (next != null) {
        return next;
      }
      isWriting = false;
      answers = takeAnswers(); // of requests that named a state that was still unwritten
    }
    answers.forEach(Answer::send);
    return null;
  }

  private void addStep(Step step) {
    steps.add(step);
    stepBytes += step.bytes().length();
    while (steps.size() > MAX_STEPS || stepBytes > MAX_BYTES) {
      stepBytes -= steps.remove().bytes().length();
    }
  }
}
