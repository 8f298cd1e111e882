package dev.weir.gateway;

import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.model.CompletedRequest;
import dev.weir.observe.MetricRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets only a few costly requests pass through to the nodes at once: a node parses their bodies on
 * the event loops with which it serves everybody. The others wait, one client after the other. A
 * request's turn ends when its response has been sent, and after ten seconds at most: a slow reader
 * must not hold up the others. A request that has waited for 30 seconds is rejected, as it holds
 * its body's memory and its place among the requests in flight. Safe on any thread; runs callbacks
 * without its lock.
 */
final class PassThroughTurns implements Consumer<CompletedRequest> {
  static final Duration MAX_TURN = Duration.ofSeconds(10);
  static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private final int maxAtOnce;
  private final DelayScheduler delays;

  /** By client, in the order of their turns. */
  private final LinkedHashMap<String, ArrayDeque<Waiting>> waiting = new LinkedHashMap<>();

  private final Set<Long> waitingNumbers = new HashSet<>();
  private final Set<Long> running = new HashSet<>();
  private volatile boolean isIdle = true;

  private record Waiting(long number, Runnable start, Runnable reject) {}

  PassThroughTurns(int maxAtOnce, DelayScheduler delays) {
    this.maxAtOnce = maxAtOnce;
    this.delays = delays;
  }

  /**
   * Waits for a turn.
   *
   * @param number of the request, as in its {@link CompletedRequest}
   * @param start runs once, at once or on the thread that ends another turn
   * @param reject runs in its place, on any thread, after too long a wait
   */
  void await(long number, String client, Runnable start, Runnable reject) {
    synchronized (waiting) {
      waiting
          .computeIfAbsent(client, _ -> new ArrayDeque<>(1))
          .add(new Waiting(number, start, reject));
      waitingNumbers.add(number);
      isIdle = false;
    }
    startNext();
    boolean waits;
    synchronized (waiting) {
      waits = waitingNumbers.contains(number);
    }
    if (waits) {
      delays.schedule(MAX_WAIT, Runnable::run, () -> giveUp(number));
    }
  }

  private void giveUp(long number) {
    Waiting late;
    synchronized (waiting) {
      late = removeWaiting(number);
      isIdle = running.isEmpty() && waiting.isEmpty();
    }
    if (late != null) {
      late.reject.run();
    }
  }

  /** Hears that a request has ended. */
  @Override
  public void accept(CompletedRequest completed) {
    if (!isIdle) {
      leave(completed.taskId());
    }
  }

  /** Ends the turn, or the wait, of the request with this number, if it has one. */
  void leave(long number) {
    synchronized (waiting) {
      if (!running.remove(number)) {
        removeWaiting(number);
      }
      isIdle = running.isEmpty() && waiting.isEmpty();
    }
    startNext();
  }

  private @Nullable Waiting removeWaiting(long number) {
    if (!waitingNumbers.remove(number)) {
      return null;
    }
    for (ArrayDeque<Waiting> ofClient : waiting.values()) {
      for (Waiting one : ofClient) {
        if (one.number == number) {
          ofClient.remove(one);
          waiting.values().removeIf(ArrayDeque::isEmpty);
          return one;
        }
      }
    }
    return null;
  }

  private void startNext() {
    List<Waiting> starting = new ArrayList<>(1);
    synchronized (waiting) {
      while (running.size() < maxAtOnce && !waiting.isEmpty()) {
        Map.Entry<String, ArrayDeque<Waiting>> first = waiting.pollFirstEntry();
        Waiting next = first.getValue().remove();
        waitingNumbers.remove(next.number);
        if (!first.getValue().isEmpty()) {
          waiting.putLast(first.getKey(), first.getValue());
        }
        running.add(next.number);
        starting.add(next);
      }
    }
    for (Waiting next : starting) {
      long number = next.number; // the timer must not keep the request's body
      delays.schedule(MAX_TURN, Runnable::run, () -> leave(number));
      next.start.run();
    }
  }

  /** Registers the metrics. */
  void bind(MetricRegistry registry) {
    registry
        .gauge(
            "weir_costly_pass_throughs_waiting",
            "Costly requests that wait for their turn to pass through",
            this::waitingCount)
        .gauge(
            "weir_costly_pass_throughs_running",
            "Costly requests that pass through now",
            this::runningCount);
  }

  private int waitingCount() {
    synchronized (waiting) {
      return waiting.values().stream().mapToInt(ArrayDeque::size).sum();
    }
  }

  private int runningCount() {
    synchronized (waiting) {
      return running.size();
    }
  }
}
