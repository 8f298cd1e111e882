package dev.weir.gateway.coalesce;

import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
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
final class SharedRun extends ForwardingExchange {
  private static final int REQUEST_TIMEOUT = 408;

  private final HttpExchange leader;
  private final Ends ends;
  private final List<Runnable> onDisconnect = new ArrayList<>(2);
  private final List<HttpExchange> followers = new ArrayList<>(0);
  private boolean leaderLeft;
  private boolean ended;
  private long number;
  private boolean lost;

  /** Hears how a run ends. */
  interface Ends {
    /** Nobody can join any more; called once, on any thread. */
    void over(SharedRun run);

    /** Followers were answered with the leader's answer. */
    void shared(int followers);

    /** A follower must begin anew; called on its home. */
    void again(HttpExchange follower);
  }

  /** What became of an attempt to join. */
  enum Joining {
    /** The search gets the run's answer. */
    JOINED,
    /** The run has as many followers as it may have. */
    FULL,
    /** It began too long ago. */
    OLD,
    /** It is over. */
    ENDED
  }

  SharedRun(HttpExchange leader, Ends ends) {
    super(leader);
    this.leader = leader;
    this.ends = ends;
  }

  /** Begins to watch the leader; called on its home, once. */
  HttpExchange begin() {
    leader.onDisconnect(this::leaderLeaves);
    return this;
  }

  /** Lets another client have the answer; called on its home. */
  Joining join(HttpExchange follower, int most) {
    synchronized (this) {
      if (ended) {
        return Joining.ENDED;
      }
      if (followers.size() >= most) {
        return Joining.FULL;
      }
      followers.add(follower);
    }
    follower.onDisconnect(() -> leaves(follower));
    return Joining.JOINED;
  }

  /** How many wait beside the leader. */
  synchronized int followers() {
    return followers.size();
  }

  private void leaves(HttpExchange follower) {
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
      ends.over(this);
      leader.home().execute(this::disconnect);
    }
  }

  private void leaderLeaves() {
    boolean last;
    synchronized (this) {
      leaderLeft = true;
      last = !ended && followers.isEmpty();
      ended |= last;
    }
    if (last) {
      ends.over(this);
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
      ends.over(this);
    }
    return waiting;
  }

  private void tell(List<HttpExchange> waiting, Consumer<HttpExchange> outcome) {
    for (HttpExchange follower : waiting) {
      follower.home().execute(() -> outcome.accept(follower));
    }
  }

  private void tellLeader(Consumer<HttpExchange> outcome) {
    if (leaderLeft) {
      leader.drop();
    } else {
      outcome.accept(leader);
    }
  }

  // What becomes of it.

  @Override
  public void respond(HttpReply reply) {
    List<HttpExchange> waiting = end();
    if (reply.status() == REQUEST_TIMEOUT && !waiting.isEmpty()) {
      // the leader's deadline: the others came later, and have more time
      tell(waiting, ends::again);
      tellLeader(one -> one.respond(reply));
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
    ends.shared(waiting.size());
    long id = number;
    boolean lacking = lost;
    tell(
        waiting,
        follower -> {
          follower.numbered(id);
          if (lacking) {
            follower.lostNodes();
          }
          follower.respond(SharedReply.of(reply, follower, read));
        });
    tellLeader(one -> one.respond(SharedReply.of(reply, one, read)));
  }

  @Override
  public void lostNodes() {
    lost = true;
    leader.lostNodes();
  }

  @Override
  public void passThrough(String reason) {
    tell(end(), follower -> follower.passThrough(reason));
    tellLeader(one -> one.passThrough(reason));
  }

  /** It broke on its way; the leader hears of that from whoever called. */
  void broke(HttpReply failed) {
    tell(end(), follower -> follower.respond(failed));
  }

  @Override
  public void drop() {
    tell(end(), HttpExchange::drop);
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
  public void numbered(long id) {
    number = id;
    leader.numbered(id);
  }
}
