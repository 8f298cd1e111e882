package dev.weir.gateway.coalesce;

import dev.weir.model.BufferedResponse;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One run of a search for its own client, the leader, and for those who joined it: to the rooms
 * behind it an exchange like any other, which lives where the leader does and is disconnected when
 * the last client has left. Who left early is dropped at once, but for the leader, whose body the
 * run reads.
 *
 * <p>Its lock is held for arithmetic alone. Safe on any thread, as far as an exchange is.
 */
final class CoalescedSearch extends ForwardingExchange {
  private static final int REQUEST_TIMEOUT = 408;

  private final HttpExchange leader;
  private final Listener listener;
  private final List<Runnable> onDisconnect = new ArrayList<>(2);
  private final List<HttpExchange> followers = new ArrayList<>(0);
  private boolean leaderLeft;
  private boolean ended;
  private long requestNumber;
  private boolean incomplete;

  /** Hears how a run ends. */
  interface Listener {
    /** Nobody can join any more; called once, on any thread. */
    void onEnd(CoalescedSearch run);

    /** Followers were answered with the leader's answer. */
    void onShared(int followers);

    /** A follower must begin anew; called on its home. */
    void onRestart(HttpExchange follower);
  }

  /** What became of an attempt to join. */
  enum JoinResult {
    /** The search gets the run's answer. */
    JOINED,
    /** The run has as many followers as it may have. */
    TOO_MANY_FOLLOWERS,
    /** It began too long ago. */
    TOO_OLD,
    /** It is over. */
    ENDED
  }

  CoalescedSearch(HttpExchange leader, Listener ends) {
    super(leader);
    this.leader = leader;
    this.listener = ends;
  }

  /** Begins to watch the leader; called on its home, once. */
  HttpExchange start() {
    leader.onDisconnect(this::onLeaderDisconnect);
    return this;
  }

  /** Lets another client have the answer; called on its home. */
  JoinResult join(HttpExchange follower, int most) {
    synchronized (this) {
      if (ended) {
        return JoinResult.ENDED;
      }
      if (followers.size() >= most) {
        return JoinResult.TOO_MANY_FOLLOWERS;
      }
      followers.add(follower);
    }
    follower.onDisconnect(() -> removeFollower(follower));
    return JoinResult.JOINED;
  }

  /** How many wait beside the leader. */
  synchronized int followers() {
    return followers.size();
  }

  private void removeFollower(HttpExchange follower) {
    boolean last;
    synchronized (this) {
      if (ended || !followers.remove(follower)) {
        return; // it is being answered
      }
      last = leaderLeft && followers.isEmpty();
      ended = last;
    }
    follower.drop();
    if (last) {
      listener.onEnd(this);
      leader.eventLoop().execute(this::disconnect);
    }
  }

  private void onLeaderDisconnect() {
    boolean last;
    synchronized (this) {
      leaderLeft = true;
      last = !ended && followers.isEmpty();
      ended |= last;
    }
    if (last) {
      listener.onEnd(this);
      disconnect();
    }
  }

  private void disconnect() {
    List<Runnable> actions = List.copyOf(onDisconnect);
    onDisconnect.clear();
    actions.forEach(Runnable::run);
  }

  /** Ends it; who is to be told. */
  private List<HttpExchange> end() {
    List<HttpExchange> waiting;
    boolean first;
    synchronized (this) {
      first = !ended;
      ended = true;
      waiting = List.copyOf(followers);
      followers.clear();
    }
    if (first) {
      listener.onEnd(this);
    }
    return waiting;
  }

  private void forEachClient(List<HttpExchange> waiting, Consumer<HttpExchange> outcome) {
    for (HttpExchange follower : waiting) {
      follower.eventLoop().execute(() -> outcome.accept(follower));
    }
  }

  private void notifyLeader(Consumer<HttpExchange> outcome) {
    if (leaderLeft) {
      leader.drop();
    } else {
      outcome.accept(leader);
    }
  }

  // What becomes of it.

  @Override
  public void respond(BufferedResponse reply) {
    List<HttpExchange> waiting = end();
    if (reply.status() == REQUEST_TIMEOUT && !waiting.isEmpty()) {
      // the leader's deadline: the others came later, and have more time
      forEachClient(waiting, listener::onRestart);
      notifyLeader(one -> one.respond(reply));
      if (leaderLeft) {
        reply.onReleased().run();
      }
      return;
    }
    int readers = waiting.size() + (leaderLeft ? 0 : 1);
    if (readers == 0) {
      leader.drop();
      reply.onReleased().run();
      return;
    }
    AtomicInteger reading = new AtomicInteger(readers);
    Runnable read =
        () -> {
          if (reading.decrementAndGet() == 0) {
            reply.onReleased().run();
          }
        };
    listener.onShared(waiting.size());
    long id = requestNumber;
    boolean lacking = incomplete;
    forEachClient(
        waiting,
        follower -> {
          follower.assignTaskId(id);
          if (lacking) {
            follower.markIncomplete();
          }
          follower.respond(CoalescedResponse.copyFor(reply, follower, read));
        });
    notifyLeader(one -> one.respond(CoalescedResponse.copyFor(reply, one, read)));
  }

  @Override
  public void markIncomplete() {
    incomplete = true;
    leader.markIncomplete();
  }

  @Override
  public void passThrough(String reason) {
    forEachClient(end(), follower -> follower.passThrough(reason));
    notifyLeader(one -> one.passThrough(reason));
  }

  /** It broke on its way; the leader hears of that from whoever called. */
  void fail(BufferedResponse failed) {
    forEachClient(end(), follower -> follower.respond(failed));
  }

  @Override
  public void drop() {
    forEachClient(end(), HttpExchange::drop);
    leader.drop();
  }

  @Override
  public void onDisconnect(Runnable action) {
    boolean gone;
    synchronized (this) {
      gone = ended && leaderLeft;
    }
    if (gone) {
      action.run();
    } else {
      onDisconnect.add(action);
    }
  }

  @Override
  public void assignTaskId(long id) {
    requestNumber = id;
    leader.assignTaskId(id);
  }
}
