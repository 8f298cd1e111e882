package dev.weir.core.actions.explain;

import dev.weir.model.RequestNotes;
import dev.weir.model.ShardNotes.Why;
import dev.weir.model.Work;
import dev.weir.routing.ReplicaSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which copies one request chose among, by which numbers, and which were asked: what was at hand,
 * bounded, and put into words only when somebody wants to know. Written on the request's home, read
 * on any thread.
 */
public final class RequestChoices implements RequestNotes {
  /** Copies, and calls, that are kept; of more only the number. */
  private static final int MOST = 128;

  private final RecentChoices recent;
  private final RecentRefusals.Who who;
  private final String action;
  private final ReplicaSelector selector;
  private final long startedMillis;
  private final long startedNanos;
  private volatile boolean remarkable;
  private volatile @Nullable ChosenShard newest;
  private volatile List<LeftOut> leftOut = List.of();
  private int indicesLeftOut;
  private volatile @Nullable Sampled sampled;

  // written on the request's home alone; who reads them elsewhere may see the number before
  private int copies;
  private int calls;
  private int shardsLeftOut;
  private int callsLeftOut;

  /**
   * What part of a search's shards was asked, to estimate what all would answer.
   *
   * @param seed what decided which
   */
  record Sampled(int shards, int of, long seed) {}

  /**
   * Makes one without a shard.
   *
   * @param selector puts its copies in order
   * @param who whose request it is
   */
  RequestChoices(
      RecentChoices recent,
      ReplicaSelector selector,
      RecentRefusals.Who who,
      String action,
      long startedMillis) {
    this.selector = selector;
    this.recent = recent;
    this.who = who;
    this.action = action;
    this.startedMillis = startedMillis;
    this.startedNanos = recent.now();
  }

  /** Shards whose copies are going to be put in order now, for requests of this cost. */
  public Weighing weighing(Work work) {
    return new Weighing(this, selector, work);
  }

  /** So many of so many shards are asked, as a sample that this seed decided. */
  public void sampled(int shards, int of, long seed) {
    sampled = new Sampled(shards, of, seed);
  }

  /** What part of the shards was asked; null for all. */
  @Nullable Sampled sampled() {
    return sampled;
  }

  /** Counts a shard with so many copies; says whether it is kept. */
  boolean takesShard(int more) {
    if (copies + Math.max(1, more) > MOST) {
      shardsLeftOut++;
      return false;
    }
    copies += Math.max(1, more);
    return true;
  }

  ChosenShard add(ChosenShard shard) {
    newest = shard;
    return shard;
  }

  /** Counts a call; says whether it is kept. */
  boolean takesCall(Why why) {
    if (why != Why.BEST && why != Why.ONLY_COPY) {
      remarkable = true;
    }
    if (calls == MOST) {
      callsLeftOut++;
      return false;
    }
    calls++;
    return true;
  }

  /** Indices were left out of a search. Any thread. */
  public synchronized void leftOut(List<LeftOut> more) {
    List<LeftOut> all = new ArrayList<>(leftOut);
    all.addAll(more.subList(0, Math.min(more.size(), Math.max(0, MOST - all.size()))));
    leftOut = List.copyOf(all);
    indicesLeftOut += more.size();
  }

  /** These were asked after all. Any thread. */
  public synchronized void notLeftOut(List<LeftOut> these) {
    List<LeftOut> all = new ArrayList<>(leftOut);
    all.removeAll(these);
    leftOut = List.copyOf(all);
    indicesLeftOut -= these.size();
  }

  /** Indices that were left out of its searches; of more than are kept only the first. */
  List<LeftOut> leftOut() {
    return leftOut;
  }

  /** How many more there were. */
  synchronized int leftOutUnnamed() {
    return Math.max(0, indicesLeftOut - leftOut.size());
  }

  /** A copy failed or was lost. */
  void remark() {
    remarkable = true;
  }

  /** Whether a copy was late, failed, or was asked to learn about it. */
  boolean remarkable() {
    return remarkable;
  }

  long now() {
    return recent.now();
  }

  long id() {
    return who.number();
  }

  String opaqueId() {
    return who.opaqueId();
  }

  RecentRefusals.Who who() {
    return who;
  }

  String action() {
    return action;
  }

  /** When it began, on the clock on the wall. */
  long startedMillis() {
    return startedMillis;
  }

  /** When it began, on the clock of the calls' times. */
  long startedNanos() {
    return startedNanos;
  }

  /** The shard whose copies were put in order last. */
  @Nullable ChosenShard newest() {
    return newest;
  }

  /** Its shards in the order in which their copies were put in order. */
  List<ChosenShard> shards() {
    List<ChosenShard> shards = new ArrayList<>();
    for (ChosenShard one = newest; one != null; one = one.before()) {
      shards.add(one);
    }
    return shards.reversed();
  }

  /** How many more shards there were. */
  int shardsLeftOut() {
    return shardsLeftOut;
  }

  /** How many more calls there were. */
  int callsLeftOut() {
    return callsLeftOut;
  }

  @Override
  public String told() {
    return ToldChoices.of(shown());
  }

  /** As maps to be shown as JSON, as it is now. */
  Map<String, Object> shown() {
    return new ShownChoices(this, recent.names(), recent.now()).body();
  }
}
