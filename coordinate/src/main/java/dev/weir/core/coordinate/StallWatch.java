package dev.weir.core.coordinate;

import dev.weir.protocol.PendingCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the calls of a round that only their nodes can answer, for a node that does not respond:
 * it may stand still for longer than the whole search takes on other copies. Sets one timer at a
 * time. Confined to the request's event loop.
 */
final class StallWatch {
  private static final long MAX_RECHECK_FACTOR = 8;

  /** Checks come at least this often, or as often as the first one came. */
  private static final long MAX_RECHECK_NANOS = 100_000_000;

  private final OutstandingCalls outstandingCalls;
  private final StallRule rule;
  private final Consumer<Set<String>> onStall;
  private final List<@Nullable WatchedCall> calls = new ArrayList<>();
  private @Nullable Runnable timerCanceller;
  private long firstCheckNanos;
  private long recheckNanos;

  /**
   * A call without an outcome.
   *
   * @param isChecked whether its node may turn out to be silent
   * @param checkedFromNanos before this moment it is not checked, even if others are
   */
  private record WatchedCall(
      String nodeId, PendingCall call, boolean isChecked, long checkedFromNanos) {}

  /**
   * When a search gives up a round.
   *
   * @param leastWaitNanos how long the calls may take in any case
   * @param decision whether to give up the round because these nodes cannot be used; if so, every
   *     call that still has no response is abandoned
   */
  record StallRule(long leastWaitNanos, Decision decision) {
    /** Decides once for each check. */
    interface Decision {
      boolean test(Set<String> silentNodeIds);
    }
  }

  /**
   * Starts without calls.
   *
   * @param onStall hears once that the round was given up, and the nodes that do not respond
   */
  StallWatch(OutstandingCalls outstandingCalls, StallRule rule, Consumer<Set<String>> onStall) {
    this.outstandingCalls = outstandingCalls;
    this.rule = rule;
    this.onStall = onStall;
    this.firstCheckNanos = Long.MAX_VALUE;
  }

  /** Adds the next call of the round, which was just sent. */
  void add(String nodeId, PendingCall call) {
    long delay = policy().stallCheckDelayNanos(call);
    boolean isChecked = delay >= 0;
    calls.add(new WatchedCall(nodeId, call, isChecked, outstandingCalls.nanoTime() + delay));
    if (isChecked) {
      firstCheckNanos = Math.min(firstCheckNanos, delay);
    }
  }

  /** Adds the next call of the round, which was not sent. */
  void addUnsent() {
    calls.add(null);
  }

  /** Starts to watch; all calls are added. */
  void start() {
    if (firstCheckNanos == Long.MAX_VALUE) {
      return;
    }
    firstCheckNanos = Math.max(firstCheckNanos, rule.leastWaitNanos());
    recheckNanos = firstCheckNanos / 2;
    setTimer(firstCheckNanos);
  }

  /** Removes a call that has its outcome. */
  void onOutcome(int call) {
    calls.set(call, null);
  }

  /** Stops because every call has its outcome. */
  void stop() {
    if (timerCanceller != null) {
      timerCanceller.run();
      timerCanceller = null;
    }
  }

  private void setTimer(long nanos) {
    timerCanceller =
        outstandingCalls.scheduleCancellable(Duration.ofNanos(Math.max(1, nanos)), this::check);
  }

  private void check() {
    timerCanceller = null;
    Set<String> silent = new HashSet<>();
    long now = outstandingCalls.nanoTime();
    for (WatchedCall watched : calls) {
      if (watched != null
          && watched.isChecked()
          && now - watched.checkedFromNanos() >= 0
          && policy().isStalled(watched.call())) {
        silent.add(watched.nodeId());
      }
    }
    if (silent.isEmpty() || !rule.decision().test(silent)) {
      long longest =
          Math.min(
              MAX_RECHECK_FACTOR * firstCheckNanos, Math.max(MAX_RECHECK_NANOS, firstCheckNanos));
      recheckNanos = Math.min(2 * recheckNanos, longest);
      setTimer(recheckNanos);
      return;
    }
    for (WatchedCall watched : calls) {
      if (watched != null && !watched.call().isWritten()) {
        if (watched.call().abandon()) { // what it would be written from is released with the round
          outstandingCalls.forget(watched.nodeId());
        }
      } else if (watched != null && watched.isChecked()) {
        policy().abandon(watched.call());
      }
    }
    onStall.accept(silent);
  }

  private AttemptPolicy policy() {
    return outstandingCalls.tail();
  }
}
