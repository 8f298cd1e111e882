package dev.weir.gateway.coalesce;

import dev.weir.model.BufferedResponse;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpStatus;
import dev.weir.model.StreamingResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One run of a search for its own client, the leader, and for the followers that joined it. The
 * rest of the pipeline sees an exchange like any other, on the leader's event loop; it is
 * disconnected when the last client has disconnected. A follower that disconnects early is dropped
 * at once; the leader is not, as the run reads its body.
 *
 * <p>Its lock is held for arithmetic alone. Safe on any thread, as far as an exchange is.
 */
final class CoalescedSearch extends ForwardingExchange {

  private final HttpExchange leader;
  private final Listener listener;
  private final List<Runnable> onDisconnect = new ArrayList<>(2);
  private final List<HttpExchange> followers = new ArrayList<>(0);
  private boolean leaderLeft;
  private boolean ended;
  private long requestNumber;
  private boolean incomplete;

  /** Is notified of the end of a run. */
  interface Listener {
    /** No search can join any more; called once, on any thread. */
    void onEnd(CoalescedSearch run);

    /** Followers get the leader's response. */
    void onShared(int followers);

    /** A follower must start again; it may join another run. Called on its event loop. */
    void onRestart(HttpExchange follower);

    /** A follower must run by itself: the response can't be shared. Called on its event loop. */
    void onNotShareable(HttpExchange follower);
  }

  /** The outcome of an attempt to join. */
  enum JoinResult {
    /** The search gets the run's response. */
    JOINED,
    /** The run has the maximum of followers. */
    TOO_MANY_FOLLOWERS,
    /** The run started too long ago. */
    TOO_OLD,
    /** The run has ended. */
    ENDED
  }

  CoalescedSearch(HttpExchange leader, Listener listener) {
    super(leader);
    this.leader = leader;
    this.listener = listener;
  }

  /** Starts observing the leader; called on its event loop, once. */
  HttpExchange start() {
    leader.onDisconnect(this::onLeaderDisconnect);
    return this;
  }

  /** Adds a follower; called on its event loop. */
  JoinResult join(HttpExchange follower, int maxFollowers) {
    synchronized (this) {
      if (ended) {
        return JoinResult.ENDED;
      }
      if (followers.size() >= maxFollowers) {
        return JoinResult.TOO_MANY_FOLLOWERS;
      }
      followers.add(follower);
    }
    follower.onDisconnect(() -> removeFollower(follower));
    return JoinResult.JOINED;
  }

  /** The number of followers. */
  synchronized int followers() {
    return followers.size();
  }

  private void removeFollower(HttpExchange follower) {
    boolean last;
    synchronized (this) {
      if (ended || !followers.remove(follower)) {
        return; // its response is on its way
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

  /** Ends the run. Returns the followers, which get its outcome. */
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

  @Override
  public void respond(BufferedResponse reply) {
    List<HttpExchange> waiting = end();
    if (reply.status() == HttpStatus.REQUEST_TIMEOUT && !waiting.isEmpty()) {
      // the leader's deadline: the followers arrived later and have more time
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
    boolean isIncomplete = incomplete;
    forEachClient(
        waiting,
        follower -> {
          follower.assignTaskId(id);
          if (isIncomplete) {
            follower.markIncomplete();
          }
          follower.respond(CoalescedResponse.copyFor(reply, follower, read));
        });
    notifyLeader(one -> one.respond(CoalescedResponse.copyFor(reply, one, read)));
  }

  /** A streamed body is produced while one client takes it, so the followers run by themselves. */
  @Override
  public void respond(StreamingResponse response) {
    forEachClient(end(), listener::onNotShareable);
    leader.respond(response);
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

  /** The pipeline threw; the leader's caller responds to the leader. */
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
    boolean disconnected;
    synchronized (this) {
      disconnected = ended && leaderLeft;
    }
    if (disconnected) {
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
