package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;

/** What is known of one node in one phase. Lock-free; safe on any thread. */
final class NodeState {
  private static final int REMEMBERED = 256;

  final String nodeId;
  final Phase phase;
  private final AtomicInteger outstanding = new AtomicInteger();
  private final AtomicReference<Timings> timings = new AtomicReference<>(Timings.NONE);
  private final AtomicReference<Faults> faults = new AtomicReference<>(Faults.NONE);

  /** Service times lately reported, by hash: an answer from a node's cache repeats an old one. */
  private final AtomicLongArray reported = new AtomicLongArray(REMEMBERED);

  NodeState(String nodeId, Phase phase) {
    this.nodeId = nodeId;
    this.phase = phase;
  }

  int outstanding() {
    return outstanding.get();
  }

  Timings timings() {
    return Objects.requireNonNull(timings.get());
  }

  Faults faults() {
    return Objects.requireNonNull(faults.get());
  }

  void sent() {
    outstanding.incrementAndGet();
  }

  void settled() {
    outstanding.decrementAndGet();
  }

  void replied(long response, int queue, long service, long now, RoutingPolicy policy) {
    boolean repeated = service > 0 && !isNews(service);
    int newQueue = repeated ? -1 : queue;
    long newService = repeated ? 0 : service;
    boolean back = faults().ejected();
    timings.updateAndGet(old -> {
      // a node that comes back is let in slowly again, like one never heard of
      Timings from = back ? Timings.NONE : old;
      return from.replied(response, newQueue, newService, now, policy.c3());
    });
    faults.updateAndGet(old -> old.succeeded(now, policy.health()));
  }

  void rejected(long now, RoutingPolicy.C3 policy) {
    timings.updateAndGet(old -> old.rejected(now, policy));
  }

  void failed(boolean answered, long now, double luck, RoutingPolicy.Health policy) {
    faults.updateAndGet(old -> old.failed(answered, now, luck, policy));
  }

  /** Takes the one request of a probation, if the node awaits it; one caller gets it. */
  boolean takeProbe(long now, double luck, RoutingPolicy.Health policy) {
    Faults seen = faults();
    return seen.awaitsProbe(now) && faults.compareAndSet(seen, seen.probed(now, luck, policy));
  }

  /** Whether as much is outstanding as a node so little known may get. */
  boolean slowStartIsFull(RoutingPolicy.Health policy) {
    long samples = timings().samples();
    if (samples >= policy.slowStart()) {
      return false;
    }
    long most = samples >= 31 ? policy.slowStart() : 1L << samples;
    return outstanding.get() >= Math.min(most, policy.slowStart());
  }

  private boolean isNews(long service) {
    int slot = (int) ((service * 0x9E3779B97F4A7C15L) >>> 56);
    return reported.getAndSet(slot, service) != service;
  }
}
