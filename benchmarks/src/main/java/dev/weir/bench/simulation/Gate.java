package dev.weir.bench.simulation;

import dev.weir.model.Phase;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.routing.Hedging;
import dev.weir.routing.LateBinding;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.NodeLoads;
import dev.weir.routing.Place;
import dev.weir.routing.ReplicaSelector;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A gateway: sends shard requests to copies, again after failures, twice where that is due. */
final class Gate {
  private static final int MOST_ATTEMPTS = 3;
  private static final long TICK_NANOS = 2_000_000;

  private final World world;
  private final NodeLoadTracker tracker;
  private final ReplicaSelector selector;
  private final @Nullable Hedging hedging;
  private final @Nullable LateBinding<ShardRequest> late;
  private final ShardCopy[] candidates;
  private @Nullable ShardRequest choosing;
  private boolean ticking;
  private long pausedUntil;

  /** Whether what its clients see is measured. */
  final boolean measured;

  Gate(World world, int index, Way way, boolean measured) {
    this.world = world;
    this.measured = measured;
    Way.Parts parts = way.make(this, world, index);
    this.tracker = parts.tracker();
    this.selector = parts.selector();
    this.hedging = parts.hedging();
    this.late = parts.late();
    this.candidates = new ShardCopy[world.scenario.cluster().copies()];
    beat();
  }

  /** Stands still for a time: what comes meanwhile is found at its end. */
  void pause(double seconds) {
    pausedUntil = world.engine.now() + Scenario.seconds(seconds);
  }

  /** Does something now, or when the gateway runs again. */
  private void awake(Runnable action) {
    if (world.engine.now() < pausedUntil) {
      world.engine.at(pausedUntil, () -> awake(action));
    } else {
      action.run();
    }
  }

  private void after(long nanos, Runnable action) {
    world.engine.after(nanos, () -> awake(action));
  }

  private void beat() {
    tracker.heartbeat();
    after(NodeLoadTracker.BEAT.toNanos(), this::beat);
  }

  /** The request that a copy is being chosen for; for the oracle, which knows its cost. */
  ShardRequest choosing() {
    if (choosing == null) {
      throw new IllegalStateException("got no request (expected: one that is being routed)");
    }
    return choosing;
  }

  void accept(ShardRequest request) {
    awake(() -> arrived(request));
  }

  private void arrived(ShardRequest request) {
    int count = world.candidates(request, candidates);
    if (late == null || count == 0) {
      route(request);
      return;
    }
    ShardCopy[] own = Arrays.copyOf(candidates, count);
    choosing = request;
    selector.order(own, count, Phase.QUERY, request.costClass);
    choosing = null;
    ShardCopy copy =
        late.offer(
                request,
                Arrays.asList(own),
                Phase.QUERY,
                request.costClass,
                true,
                RequestPolicy.NONE)
            .copyAtOnce();
    if (copy != null) {
      send(request, copy, false);
    } else if (!ticking) {
      ticking = true;
      after(TICK_NANOS, this::tick);
    }
  }

  /** What waited was bound to a copy. */
  void bound(Place<ShardRequest> place) {
    ShardCopy copy = place.copy();
    if (late != null && copy != null && late.sending(place)) {
      send(place.request(), copy, false);
    }
  }

  /** Looks at what waits, in case that no answer comes. */
  private void tick() {
    if (late != null) {
      late.tick();
    }
    ticking = late != null && late.waiting() > 0;
    if (ticking) {
      after(TICK_NANOS, this::tick);
    }
  }

  private void route(ShardRequest request) {
    ShardCopy best = best(request);
    if (best == null) {
      world.finished(request, false);
    } else {
      send(request, best, false);
    }
  }

  private @Nullable ShardCopy best(ShardRequest request) {
    int count = world.candidates(request, candidates);
    choosing = request;
    selector.order(candidates, count, Phase.QUERY, request.costClass);
    choosing = null;
    return count == 0 ? null : candidates[0];
  }

  private void send(ShardRequest request, ShardCopy copy, boolean second) {
    DataNode node = world.node(copy);
    NodeLoads.Outstanding outstanding =
        tracker.begin(copy.nodeId(), Phase.QUERY, request.costClass);
    Attempt attempt = new Attempt(request, node, outstanding);
    request.tried |= 1L << node.index;
    request.live++;
    if (measured) {
      world.outcome.sent(world.engine.now(), node.index, !second && request.attempts == 0, second);
    }
    node.coming.add(attempt);
    world.engine.after(world.networkNanos() + node.extraNetworkNanos, () -> node.arrive(attempt));
    request.sent.add(attempt);
    request.attempts += second ? 0 : 1;
    if (hedging != null) {
      long delay = second ? -1 : hedging.sent(outstanding);
      if (delay >= 0) {
        after(delay, () -> look(attempt, delay));
      }
    }
  }

  /** Looks at a request that is late. */
  private void look(Attempt attempt, long waited) {
    ShardRequest request = attempt.request;
    if (hedging == null || request.done || request.live > 1) {
      return;
    }
    ShardCopy other = best(request);
    if (other == null) {
      return;
    }
    boolean onlyForSilence = late != null && late.waiting() > 0;
    if (hedging.goes(attempt.outstanding, other, onlyForSilence)) {
      send(request, other, true);
    } else {
      long again = hedging.againNanos(attempt.outstanding, waited);
      after(again, () -> look(attempt, again));
    }
  }

  void answered(Attempt attempt, DataNode.Status status, int queue, long serviceNanos) {
    awake(() -> heard(attempt, status, queue, serviceNanos));
  }

  private void heard(Attempt attempt, DataNode.Status status, int queue, long serviceNanos) {
    if (attempt.over) {
      return;
    }
    attempt.over = true;
    ShardRequest request = attempt.request;
    request.live--;
    tell(attempt, status, queue, serviceNanos);
    if (request.done) {
      return; // it was sent to hear of its node
    }
    if (status == DataNode.Status.OK) {
      succeeded(request);
    } else if (request.live == 0 && request.attempts < MOST_ATTEMPTS) {
      route(request);
    } else if (request.live == 0) {
      world.finished(request, false);
    }
  }

  private static void tell(Attempt attempt, DataNode.Status status, int queue, long serviceNanos) {
    switch (status) {
      case OK -> attempt.outstanding.replied(queue, serviceNanos);
      case ERROR -> attempt.outstanding.failed(NodeLoads.Failure.ERROR);
      case REJECTED -> attempt.outstanding.failed(NodeLoads.Failure.REJECTED);
    }
  }

  private void succeeded(ShardRequest request) {
    if (hedging != null) {
      hedging.answered(request.sent.getFirst().outstanding);
    }
    request.sent.forEach(this::giveUp);
    world.finished(request, true);
  }

  private void giveUp(Attempt loser) {
    if (!loser.over && loser.outstanding.trial() != NodeLoads.Trial.EJECTED) {
      loser.over = true;
      loser.outstanding.abandoned();
      world.engine.after(world.networkNanos(), () -> loser.cancelled = true);
    }
  }
}
