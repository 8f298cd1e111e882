package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.core.reduce.ShardRound;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks every shard of a round, each on its best copy first and on the next one after a failure or
 * when it is late, with at most so many requests outstanding on a node. Of two copies that are
 * under way the first answer counts; the other copy's task is cancelled, and what it leaves behind
 * is freed when its answer comes. Confined to the request's home.
 *
 * <p>Never calls back from within {@link #start} or {@link #ask}: what fails at once fails in a
 * task of its own, so that a thousand failing shards do not make a thousand nested calls.
 */
final class ShardFanOut<R> implements NodeSender.Piggyback<R> {
  /** Stands for the failure that a late copy has not had yet. */
  private static final Exception LATE = new TimeoutException("late");

  /**
   * How many shards are looked at when a permit becomes free; when nothing is outstanding or waits
   * any more the first of them finds one.
   */
  private static final int MOST_LOOKED_AT = 64;

  private final ShardRound<R> round;
  private final List<PlannedShard> shards;
  private final OutstandingCalls calls;
  private final Tail tail;
  private final Supplier<@Nullable Exception> refusal;
  private final Consumer<ShardFanOut<R>> end;
  private final Permits permits;

  /** Shards that no copy has a permit for. */
  private final Deque<Integer> pending = new ArrayDeque<>();

  /** Shards whose request waits until a copy has room. */
  private final Map<Integer, Binder.Binding> waiting = new HashMap<>();

  private final Map<Integer, List<String>> reordered = new HashMap<>();
  private final int[] nextCopy;
  private final Races<R> races;
  private int left;
  private int successful;
  private boolean stale;
  private boolean askingPending;

  /**
   * Makes a fan-out.
   *
   * @param permits how many requests may be outstanding on one node; 0 for no bound
   * @param refusal why nothing more must be sent; null while sending is fine
   * @param end hears once that every shard has answered or has no copy left
   */
  ShardFanOut(
      ShardRound<R> round,
      List<PlannedShard> shards,
      int permits,
      OutstandingCalls calls,
      Supplier<@Nullable Exception> refusal,
      Consumer<ShardFanOut<R>> end) {
    this.round = round;
    this.shards = shards;
    this.permits = new Permits(permits);
    this.calls = calls;
    this.tail = calls.tail();
    this.refusal = refusal;
    this.end = end;
    this.nextCopy = new int[shards.size()];
    this.races = new Races<>(shards.size(), calls, round.repeatable(), this::hedge);
    this.left = shards.size();
    calls.whenCancelled(this::waitNoMore);
  }

  /** Shards that have answered. */
  int successful() {
    return successful;
  }

  /** Whether a shard found no copy because shards may have moved since the plan was made. */
  boolean stale() {
    return stale;
  }

  void start() {
    if (shards.isEmpty()) {
      calls.later().execute(() -> end.accept(this));
      return;
    }
    for (int shard = 0; shard < shards.size(); shard++) {
      if (shards.get(shard).nodes().isEmpty()) {
        int without = shard;
        calls
            .later()
            .execute(() -> {
              round.unavailable(without);
              shardDone();
            });
      } else {
        ask(shard, true);
      }
    }
  }

  @Override
  public int queueSize(R reply) {
    return round.queueSize(reply);
  }

  @Override
  public long serviceTimeNanos(R reply) {
    return round.serviceTimeNanos(reply);
  }

  private void ask(int shard, boolean fresh) {
    if (!tryToAsk(shard, fresh)) {
      pending.add(shard);
    }
  }

  /**
   * Asks a shard, or lets it wait for a copy with room; false for want of a permit.
   *
   * @param fresh whether the shard's copies were ordered just now
   */
  private boolean tryToAsk(int shard, boolean fresh) {
    if (nextCopy[shard] == 0 && round.waits() && shards.get(shard).free().size() > 1) {
      return bind(shard, fresh);
    }
    String nodeId = node(shard);
    if (!permits.free(nodeId)) {
      return false;
    }
    send(shard, nodeId);
    return true;
  }

  private boolean bind(int shard, boolean fresh) {
    List<ShardCopy> copies = shards.get(shard).free();
    Binder.Offer offer = new Binder.Offer(copies, round.work(), fresh);
    if (!copies.stream().allMatch(copy -> permits.free(copy.nodeId()))) {
      // not kept: it comes again when one of the permits that are out comes back
      String nodeId = calls.bindNow(offer, permits::free);
      if (nodeId != null) {
        send(shard, first(shard, nodeId));
      }
      return nodeId != null;
    }
    if (permits.bound() && waiting.size() >= permits.most()) {
      return false;
    }
    Binder.Binding binding = calls.bind(offer, place -> bound(shard, place));
    String nodeId = binding.nodeId();
    if (nodeId == null) {
      waiting.put(shard, binding);
    } else {
      send(shard, first(shard, nodeId));
    }
    return true;
  }

  /** A shard that waited was bound to a node. */
  private void bound(int shard, Binder.Binding place) {
    String nodeId = place.nodeId();
    if (waiting.remove(shard) == null || nodeId == null) {
      place.leave();
      return;
    }
    if (permits.free(nodeId) && place.sending()) {
      send(shard, first(shard, nodeId));
    } else {
      place.leave(); // others of this search have all its permits by now
      ask(shard, false);
    }
    askPending();
  }

  /** The search is cancelled: what waits is refused like all that is still to be sent. */
  private void waitNoMore() {
    for (Map.Entry<Integer, Binder.Binding> one : List.copyOf(waiting.entrySet())) {
      waiting.remove(one.getKey());
      one.getValue().leave();
      send(one.getKey(), node(one.getKey()));
    }
  }

  /** Asks what found no permit before, in order, as far as there are permits now. */
  private void askPending() {
    if (askingPending || pending.isEmpty()) {
      return;
    }
    askingPending = true;
    List<Integer> without = new ArrayList<>();
    while (!pending.isEmpty() && without.size() < MOST_LOOKED_AT) {
      Integer shard = pending.removeFirst();
      if (!tryToAsk(shard, false)) {
        without.add(shard);
      }
    }
    without.reversed().forEach(pending::addFirst);
    askingPending = false;
  }

  /** Puts the copy on this node before the others of a shard. */
  private String first(int shard, String nodeId) {
    List<String> planned = shards.get(shard).nodes();
    if (!planned.getFirst().equals(nodeId)) {
      List<String> nodes = new ArrayList<>(planned);
      nodes.remove(nodeId);
      nodes.addFirst(nodeId);
      reordered.put(shard, nodes);
    }
    return nodeId;
  }

  private void send(int shard, String nodeId) {
    permits.take(nodeId);
    send(shard, nodeId, nextCopy[shard] == 0 ? first(shard) : Tail.Why.RETRY);
  }

  private Tail.Why first(int shard) {
    return shards.get(shard).nodes().size() == 1 ? Tail.Why.ONLY_COPY : Tail.Why.BEST;
  }

  private void send(int shard, String nodeId, Tail.Why why) {
    Attempt<R> attempt = new Attempt<>(this, shard, nodeId, why == Tail.Why.HEDGE);
    try {
      Exception refused = refusal.get();
      if (refused != null) {
        throw refused;
      }
      boolean another = nextCopy[shard] + 1 < shards.get(shard).nodes().size();
      if (why == Tail.Why.HEDGE || (another && races.on())) {
        attempt.sent(calls, round.work(), round.repeatable(shard, nodeId), this);
      } else {
        attempt.sent(calls, round.work(), round.call(shard, nodeId), this);
      }
      ShardNotes.Why known = tail.asked(attempt.call(), nodeId, why);
      notes(shard).asked(round.name(), nodeId, known);
      races.sent(attempt, another);
    } catch (Exception e) {
      races.sent(attempt, false);
      calls.later().execute(() -> failed(attempt, e));
    }
  }

  /** Asks the next copy of a shard too, if it is worth it. */
  private boolean hedge(Attempt<R> first) {
    int shard = first.shard();
    int next = nextCopy[shard] + 1;
    if (refusal.get() != null || next >= shards.get(shard).nodes().size()) {
      return false;
    }
    String nodeId = nodes(shard).get(next);
    if (!permits.free(nodeId)
        || round.passesOver(shard, nodeId, LATE)
        || !tail.goes(first.call(), nodeId)) {
      return false;
    }
    nextCopy[shard] = next;
    permits.take(nodeId);
    send(shard, nodeId, Tail.Why.HEDGE);
    return true;
  }

  void replied(Attempt<R> attempt, R reply, ReplyFrame frame) {
    Taken taken = new Taken(attempt);
    try {
      round.reply(attempt.shard(), attempt.nodeId(), reply, frame, taken);
    } catch (RuntimeException unreadable) {
      if (taken.done) {
        won(taken);
        throw unreadable;
      }
      taken.done = true;
      failed(attempt, unreadable);
      return;
    }
    won(taken);
  }

  private void won(Taken taken) {
    Attempt<R> attempt = taken.attempt;
    Attempt<R> loser = races.won(attempt);
    taken.note();
    if (loser != null) {
      notes(loser.shard()).over(loser.nodeId(), ShardNotes.Outcome.GIVEN_UP);
      release(loser.nodeId());
    }
    release(attempt.nodeId());
  }

  /** Counts a shard's answer when it was taken in; the first call counts. */
  private final class Taken implements Runnable {
    private final Attempt<R> attempt;
    private boolean done;
    private boolean noted;

    Taken(Attempt<R> attempt) {
      this.attempt = attempt;
    }

    @Override
    public void run() {
      if (!done) {
        done = true;
        successful++;
        // before the last shard's answer ends the request, which may be asked how it went
        note();
        shardDone();
      }
    }

    /** Once: the next phase may have asked the same node meanwhile. */
    void note() {
      if (!noted) {
        noted = true;
        notes(attempt.shard()).over(attempt.nodeId(), ShardNotes.Outcome.ANSWERED);
      }
    }
  }

  void failed(Attempt<R> attempt, Exception failure) {
    int shard = attempt.shard();
    String nodeId = attempt.nodeId();
    round.failed(shard, nodeId, failure);
    notes(shard).over(nodeId, ShardNotes.Outcome.FAILED);
    if (races.failed(attempt)) {
      release(nodeId); // the other copy is still under way
      return;
    }
    int copies = shards.get(shard).nodes().size();
    boolean another = false;
    while (!another && ++nextCopy[shard] < copies) {
      another = !round.passesOver(shard, node(shard), failure);
    }
    boolean refused = refusal.get() != null; // then nothing is sent, whatever is asked
    if (another && (refused || tail.mayRetry(failure))) {
      ask(shard, false);
      release(nodeId);
    } else {
      stale |= round.stale(failure);
      release(nodeId);
      shardDone();
    }
  }

  private ShardNotes notes(int shard) {
    return shards.get(shard).notes();
  }

  private String node(int shard) {
    return nodes(shard).get(nextCopy[shard]);
  }

  /** The nodes of a shard in the order in which they are tried. */
  private List<String> nodes(int shard) {
    List<String> nodes = reordered.get(shard);
    return nodes == null ? shards.get(shard).nodes() : nodes;
  }

  private void release(String nodeId) {
    permits.giveBack(nodeId);
    askPending();
  }

  private void shardDone() {
    if (--left == 0) {
      races.over();
      end.accept(this);
    }
  }
}
