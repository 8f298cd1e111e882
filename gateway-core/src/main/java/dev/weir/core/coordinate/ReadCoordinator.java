package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads from one shard: asks its copies in order until one answers, the next one also when one is
 * late: then the first answer counts, and the other call is forgotten. When all are exhausted
 * because the view of the cluster was behind, it is read anew and the new copies are asked, once.
 * Of several failures the last one that says more than that a copy is missing is told, as a node
 * does.
 *
 * <pre>
 *   Planning --Copies, perhaps after a wait for one with room--> Asking(0)
 *   Asking(0) --failure--> Asking(1) .. --exhausted--> Refreshing, once
 *   Planning --Impossible--> Refreshing, once --> Planning
 *   Asking --late--> Asking(0, 1) --answer--> Done
 * </pre>
 *
 * Confined to the request's home.
 */
public final class ReadCoordinator<R> {
  private final Environment environment;
  private final RequestContext context;
  private final ReadWork<R> work;
  private final Tail tail;
  private State state = new Planning();
  private @Nullable Exception lastFailure;
  private boolean unreachable;
  private boolean refreshed;
  private boolean entered;

  private interface State {}

  private record Planning() implements State {}

  /** Copies are asked, in order; at most two at a time. */
  private final class Asking implements State {
    private final ClusterView view;
    private final List<ShardCopy> copies;
    private final ShardNotes notes;
    private final List<Attempt> underWay = new ArrayList<>(2);
    private int tried;

    Asking(ClusterView view, List<ShardCopy> copies, ShardNotes notes) {
      this.notes = notes;
      this.view = view;
      this.copies = copies;
    }

    /** The same with the copy on this node before the others. */
    Asking first(String nodeId) {
      if (copies.getFirst().nodeId().equals(nodeId)) {
        return this;
      }
      List<ShardCopy> moved = new ArrayList<>(copies);
      for (ShardCopy copy : copies) {
        if (copy.nodeId().equals(nodeId)) {
          moved.remove(copy);
          moved.addFirst(copy);
        }
      }
      return new Asking(view, moved, notes);
    }
  }

  private record Refreshing() implements State {}

  private record Done() implements State {}

  /** Makes a coordinator of one read. */
  public ReadCoordinator(Environment environment, RequestContext context, ReadWork<R> work) {
    this.environment = environment;
    this.context = context;
    this.work = work;
    this.tail = environment.tails().by(context.policy());
  }

  /** Starts; the work hears one of {@code answered}, {@code exhausted} and {@code failed}, once. */
  public void start() {
    plan(environment.views().current());
  }

  private void plan(ClusterView view) {
    state = new Planning();
    switch (work.plan(view)) {
      case ReadPlan.Copies(List<ShardCopy> copies, List<ShardCopy> free, ShardNotes notes) ->
          enter(new Asking(view, copies, notes), free);
      case ReadPlan.Impossible(Exception why) -> {
        if (refreshed) {
          fail(why);
        } else {
          refresh(view);
        }
      }
      case ReadPlan.Refused(Exception why) -> fail(why);
    }
  }

  /** Asks to be let in, the first time; what is let in goes to a copy whose node has room. */
  private void enter(Asking asking, List<ShardCopy> free) {
    if (entered
        || asking.copies.isEmpty()
        || environment.gate().atOnce(work.work(), asking.copies.getFirst().nodeId())) {
      entered = true;
      bind(asking, free);
      return;
    }
    entered = true;
    state = asking;
    List<String> nodes =
        free.size() > 1
            ? free.stream().map(ShardCopy::nodeId).toList()
            : List.of(asking.copies.getFirst().nodeId());
    AdmissionGate.Entry entry =
        environment
            .gate()
            .ask(
                new AdmissionGate.Asked(List.of(nodes), work.work()),
                context,
                told -> stands(told, asking, free));
    if (entry.waits()) {
      context.onCancel(entry::leave);
    } else {
      stands(entry, asking, free);
    }
  }

  private void stands(AdmissionGate.Entry entry, Asking asking, List<ShardCopy> free) {
    Exception refusal = entry.refusal();
    if (context.cancelReason() != null || state != asking) {
      entry.leave();
    } else if (refusal != null) {
      fail(refusal);
    } else {
      List<ShardCopy> ordered = new ArrayList<>(free);
      ordered.sort(
          Comparator.comparing(copy -> !environment.gate().hasRoom(work.work(), copy.nodeId())));
      bind(ordered.size() > 1 ? asking.first(ordered.getFirst().nodeId()) : asking, ordered);
      entry.leave();
    }
  }

  /** Asks the one of the free copies that has room, perhaps later. */
  private void bind(Asking asking, List<ShardCopy> free) {
    if (free.size() < 2) {
      ask(asking, 0);
      return;
    }
    state = asking;
    Binder.Binding binding =
        environment
            .binder()
            .bind(
                new Binder.Offer(free, work.work(), true), context, place -> bound(asking, place));
    String nodeId = binding.nodeId();
    if (nodeId == null) {
      context.onCancel(binding::leave);
    } else {
      ask(asking.first(nodeId), 0);
    }
  }

  private void bound(Asking asking, Binder.Binding place) {
    String nodeId = place.nodeId();
    if (context.cancelReason() != null || state != asking || nodeId == null) {
      place.leave();
    } else if (place.sending()) {
      ask(asking.first(nodeId), 0);
    }
  }

  private void ask(Asking asking, int at) {
    state = asking;
    if (at < asking.copies.size()) {
      Tail.Why first = asking.copies.size() == 1 ? Tail.Why.ONLY_COPY : Tail.Why.BEST;
      Attempt attempt = new Attempt(asking, at, false);
      attempt.send(at == 0 ? first : Tail.Why.RETRY);
      if (tail.hedges()) {
        long after = tail.lookAfterNanos(attempt.call());
        if (after >= 0 && at + 1 < asking.copies.size()) {
          look(attempt, after);
        }
      }
    } else if (!refreshed && mayBeBehind()) {
      refresh(asking.view);
    } else {
      state = new Done();
      work.exhausted(lastFailure);
    }
  }

  private void look(Attempt first, long afterNanos) {
    environment
        .delays()
        .after(
            Duration.ofNanos(Math.max(1, afterNanos)),
            context.home(),
            () -> context.run(() -> lookAt(first, afterNanos)));
  }

  /** Asks the next copy too, if the first is alone under way and that is worth it. */
  private void lookAt(Attempt first, long waitedNanos) {
    if (context.cancelReason() != null
        || state != first.asking
        || first.asking.underWay.size() != 1
        || first.asking.underWay.getFirst() != first) {
      return;
    }
    Attempt second = new Attempt(first.asking, first.at + 1, true);
    if (tail.goes(first.call(), second.nodeId())) {
      second.send(Tail.Why.HEDGE);
      return;
    }
    long again = tail.lookAgainNanos(first.call(), waitedNanos);
    if (again >= 0) {
      look(first, again);
    }
  }

  private void fail(Exception why) {
    state = new Done();
    work.failed(why);
  }

  private boolean mayBeBehind() {
    return unreachable || lastFailure == null || work.isCopyMissing(lastFailure);
  }

  private void refresh(ClusterView view) {
    refreshed = true;
    lastFailure = null;
    state = new Refreshing();
    environment
        .views()
        .refresh(view)
        .thenAcceptAsync(
            now -> {
              if (context.cancelReason() == null) {
                plan(now);
              }
            },
            context::later);
  }

  /** One copy asked. */
  private final class Attempt implements ReplyHandler<R> {
    private final Asking asking;
    private final int at;
    private final boolean second;
    private @Nullable PendingCall call;

    Attempt(Asking asking, int at, boolean second) {
      this.asking = asking;
      this.at = at;
      this.second = second;
    }

    String nodeId() {
      return asking.copies.get(at).nodeId();
    }

    PendingCall call() {
      PendingCall sent = call;
      return sent == null ? () -> false : sent;
    }

    void send(Tail.Why why) {
      asking.underWay.add(this);
      asking.tried = at;
      call = environment.sender().send(nodeId(), work.work(), work.call(), context, null, this);
      ShardNotes.Why known = tail.asked(call(), nodeId(), why);
      asking.notes.asked("get", nodeId(), known);
    }

    @Override
    public void onReply(R reply, ReplyFrame frame) {
      if (state != asking) {
        return;
      }
      state = new Done();
      if (tail.hedges()) {
        tail.answered(asking.underWay.getFirst().call());
      }
      asking.underWay.remove(this);
      asking.notes.over(nodeId(), ShardNotes.Outcome.ANSWERED);
      if (second) {
        tail.ended(Tail.End.WON);
      }
      for (Attempt loser : asking.underWay) {
        loser.call().forget();
        asking.notes.over(loser.nodeId(), ShardNotes.Outcome.GIVEN_UP);
        if (loser.second) {
          tail.ended(Tail.End.LOST);
        }
      }
      work.answered(reply, frame);
    }

    @Override
    public void onFailure(NodeFailure failure) {
      if (state != asking) {
        return;
      }
      asking.underWay.remove(this);
      asking.notes.over(nodeId(), ShardNotes.Outcome.FAILED);
      if (second) {
        tail.ended(Tail.End.FAILED);
      }
      Exception why = failure.exception();
      unreachable |= failure.kind() != NodeFailure.Kind.REMOTE;
      if (lastFailure == null || !work.isCopyMissing(why)) {
        lastFailure = why;
      }
      if (!asking.underWay.isEmpty()) {
        return; // the other copy is still under way
      }
      int next = asking.tried + 1;
      boolean more = next < asking.copies.size();
      ask(asking, more && !tail.mayRetry(failure) ? asking.copies.size() : next);
    }
  }
}
