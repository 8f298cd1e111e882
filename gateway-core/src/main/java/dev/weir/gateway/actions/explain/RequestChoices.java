package dev.weir.gateway.actions.explain;

import dev.weir.gateway.actions.explain.ShownChoices.Request;
import dev.weir.gateway.cluster.ShardTarget;
import dev.weir.model.RequestNotes;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import dev.weir.model.Work;
import dev.weir.routing.ReplicaSelector;
import dev.weir.routing.Scale;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which copies one request chose among, by which numbers, and which were asked: compact, bounded,
 * and used again for another request, unless its client wants to be told. Safe on any thread; who
 * writes for a request that is not kept here any more is not heard.
 */
public final class RequestChoices implements RequestNotes {
  private static final int MOST_ID = 128;

  private final RecentChoices recent;
  private final boolean reusable;
  private final ChosenShards shards = new ChosenShards();
  private final WeighedCopies copies = new WeighedCopies();
  private final AskedCopies asked = new AskedCopies();
  private Request request = Request.NONE;
  private boolean remarkable;

  private RequestChoices(RecentChoices recent, boolean reusable) {
    this.recent = recent;
    this.reusable = reusable;
  }

  /** One that keeps one request after the other. */
  static RequestChoices reusable(RecentChoices recent) {
    return new RequestChoices(recent, true);
  }

  /** One that keeps a single request, which is told what is in here when it is answered. */
  static RequestChoices once(RecentChoices recent) {
    return new RequestChoices(recent, false);
  }

  boolean reusable() {
    return reusable;
  }

  /** Begins anew, for another request. */
  synchronized void begin(long id, String opaqueId, String action, long nowMillis) {
    request = new Request(id, cut(opaqueId), action, nowMillis, recent.now());
    remarkable = false;
    shards.clear();
    copies.clear();
    asked.clear();
  }

  private static String cut(String opaqueId) {
    return opaqueId.length() <= MOST_ID ? opaqueId : opaqueId.substring(0, MOST_ID);
  }

  /** Whether a copy was late, failed, or was asked to learn about it. */
  synchronized boolean remarkable() {
    return remarkable;
  }

  /** Whether the client named the request so. */
  synchronized boolean isNamed(String name) {
    return request.id() >= 0
        && !request.opaqueId().isEmpty()
        && request.opaqueId().equals(cut(name));
  }

  synchronized long id() {
    return request.id();
  }

  /**
   * A shard's copies were put in order.
   *
   * @param id of the request
   * @param scored whether scores decided, where there was something to choose
   */
  public synchronized ShardNotes chose(
      long id, ShardTarget target, List<ShardCopy> ordered, Work work, boolean scored) {
    if (request.id() != id) {
      return ShardNotes.NONE;
    }
    if (!shards.hasRoom() || !copies.hasRoom(ordered.size())) {
      shards.leaveOut();
      return ShardNotes.NONE;
    }
    ReplicaSelector selector = recent.selector();
    Scale scale = selector.scale();
    int from = copies.count();
    copies.add(ordered, work, selector, scale);
    return new Notes(this, id, shards.add(target, work, scale, scored, from, copies.count()));
  }

  private record Notes(RequestChoices choices, long request, int shard) implements ShardNotes {
    @Override
    public void asked(String phase, String nodeId, Why why) {
      choices.asked(this, phase, nodeId, why);
    }

    @Override
    public void over(String nodeId, Outcome outcome) {
      choices.over(this, nodeId, outcome);
    }
  }

  private synchronized void asked(Notes by, String phase, String nodeId, ShardNotes.Why why) {
    if (request.id() == by.request()) {
      remarkable |= why != ShardNotes.Why.BEST && why != ShardNotes.Why.ONLY_COPY;
      asked.add(by.shard(), phase, nodeId, why, recent.now());
    }
  }

  private synchronized void over(Notes by, String nodeId, ShardNotes.Outcome outcome) {
    if (request.id() == by.request()) {
      asked.over(by.shard(), nodeId, outcome, recent.now());
    }
  }

  @Override
  public String told() {
    return ToldChoices.of(now().by(recent.names()));
  }

  /** As it is now; null when another request is kept here by now. */
  synchronized @Nullable ShownChoices now(long id) {
    return request.id() == id ? now() : null;
  }

  private synchronized ShownChoices now() {
    return new ShownChoices(
        request,
        new ChosenShards(shards),
        new WeighedCopies(copies),
        new AskedCopies(asked),
        recent.now());
  }
}
