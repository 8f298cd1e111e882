package dev.weir.core.coordinate;

import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.PendingCall;
import dev.weir.routing.tail.RestartPermit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides what the test scripts, and records every call. By default it only retries. */
final class ScriptedAttemptPolicy implements AttemptPolicy {
  final List<String> log = new ArrayList<>();
  boolean hedges;
  boolean goes = true;
  boolean retries = true;
  boolean startsOver = true;
  boolean stalls;

  /** Nodes that are not expected to respond. */
  final Set<String> silentNodes = new HashSet<>();

  /** The delays of the next first checks; 3 ms for all others. */
  final Deque<Long> stallDelaysNanos = new ArrayDeque<>();

  @Override
  public ShardRoutingRecorder.Reason recordAttempt(PendingCall call, String nodeId, Reason why) {
    log.add(nodeId + " " + why);
    return why.recordedReason();
  }

  @Override
  public boolean isHedgingEnabled() {
    return hedges;
  }

  @Override
  public long hedgeDelayNanos(PendingCall first) {
    return 1_000_000;
  }

  @Override
  public boolean shouldHedge(PendingCall first, String nodeId) {
    return goes;
  }

  @Override
  public long nextHedgeCheckNanos(PendingCall first, long waitedNanos) {
    return 1_000_000;
  }

  @Override
  public void recordAnswer(PendingCall first) {
    log.add("answered");
  }

  @Override
  public boolean abandon(PendingCall loser) {
    log.add("abandoned");
    return true;
  }

  @Override
  public void recordHedgeWin(PendingCall first) {
    recordHedgeOutcome(HedgeOutcome.WON);
  }

  @Override
  public void recordHedgeOutcome(HedgeOutcome how) {
    log.add("hedge " + how);
  }

  @Override
  public boolean canRetry(Exception failure) {
    return retries;
  }

  @Override
  public boolean canRestart(Exception loss) {
    log.add("lost: " + loss.getMessage());
    return startsOver;
  }

  @Override
  public long stallCheckDelayNanos(PendingCall call) {
    Long next = stallDelaysNanos.poll();
    return next == null ? 3_000_000 : next;
  }

  @Override
  public boolean isStalled(PendingCall call) {
    return stalls;
  }

  @Override
  public boolean canRespond(String nodeId) {
    return !silentNodes.contains(nodeId);
  }

  @Override
  public @Nullable RestartPermit tryRestartStalled(int shards) {
    log.add("stalled: " + shards);
    return startsOver ? () -> log.add("restart ended") : null;
  }
}
