package dev.weir.admission.queue;

import dev.weir.config.policy.QueuePolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Simulates nodes with thread pools and queues, a gateway in front of them, and open-loop or
 * closed-loop clients, in virtual time. A search goes to a few shards, each with copies on two
 * nodes, or to one of many indices, each on one node.
 */
final class SimulatedCluster {
  static final long MILLI = 1_000_000;

  private final RandomGenerator random;
  private final Shape shape;
  private final List<Node> nodes = new ArrayList<>();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final AdmissionQueues<Search> queues;

  /** For each index, the nodes of its shards; empty if each shard has copies on two nodes. */
  private final List<List<String>> indices = new ArrayList<>();

  private long now = 1_000_000_000L;
  private long order;
  private int number;
  private long pausePeriod = 1;
  private int mostPaused;
  private int paused;

  /**
   * The dimensions of the cluster.
   *
   * @param cores shared by the threads of all nodes
   * @param shards of a search
   * @param millis of work for each shard
   * @param sigma spread of the work, log-normal
   */
  record Shape(int nodes, int threads, double cores, int shards, double millis, double sigma) {
    /** Returns the searches per second at full utilisation. */
    double capacity() {
      return Math.min(cores, (double) nodes * threads) * 1000 / (millis * shards);
    }
  }

  /** The results of searches. */
  static final class Measurements {
    final List<Double> answered = new ArrayList<>();
    final List<Double> refused = new ArrayList<>();

    /** Response times of calls to nodes. */
    final List<Double> callMillis = new ArrayList<>();

    int offered;
    int inTime;

    double p99() {
      return quantile(answered, 0.99);
    }

    double mean() {
      return answered.stream().mapToDouble(Double::doubleValue).average().orElse(0);
    }

    double refusedAfter() {
      return quantile(refused, 0.5);
    }

    private static double quantile(List<Double> of, double quantile) {
      List<Double> sorted = of.stream().sorted().toList();
      return sorted.isEmpty() ? 0 : sorted.get((int) (quantile * (sorted.size() - 1)));
    }
  }

  private record Event(long at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
    }
  }

  /**
   * The load and the measured period.
   *
   * @param rate of searches per second; 0 for closed-loop clients
   */
  private record Load(double rate, long from, long end, double deadlineMillis, Measurements seen) {
    boolean measures(Search search) {
      return search.arrived >= from;
    }
  }

  private static final class Search {
    final long arrived;
    final Load load;
    final int first;
    final List<Double> work = new ArrayList<>();
    int left;

    Search(long arrived, Load load, int first) {
      this.arrived = arrived;
      this.load = load;
      this.first = first;
    }
  }

  private static final class Task {
    final Search search;
    final long began;
    double left;

    Task(Search search, double left, long began) {
      this.search = search;
      this.left = left;
      this.began = began;
    }
  }

  private static final class Node {
    final String id;
    double slowness = 1;
    final Deque<Task> queue = new ArrayDeque<>();
    final List<Task> running = new ArrayList<>();

    Node(String id) {
      this.id = id;
    }
  }

  SimulatedCluster(Shape shape, QueuePolicy policy, long seed) {
    this.shape = shape;
    this.random = new SplittableRandom(seed);
    this.queues = new AdmissionQueues<>(policy, () -> now, tenant -> 1, this::told);
    for (int i = 0; i < shape.nodes(); i++) {
      nodes.add(new Node("n" + i));
      queues.setThreads("n" + i, NodeThreadPool.SEARCH, shape.threads());
    }
    tick();
  }

  /**
   * Creates this many indices, each with a shard on half of the nodes; all nodes have equally many
   * shards.
   */
  void spread(int count) {
    for (int pair = 0; pair < count / 2; pair++) {
      List<String> ids = new ArrayList<>(nodes.stream().map(node -> node.id).toList());
      Collections.shuffle(ids, Random.from(random));
      indices.add(List.copyOf(ids.subList(0, ids.size() / 2)));
      indices.add(List.copyOf(ids.subList(ids.size() / 2, ids.size())));
    }
  }

  void slow(int node, double times) {
    nodes.get(node).slowness = times;
  }

  /** Offers a fraction of the capacity, and measures after a warm-up. */
  Measurements offer(double share, double settle, double seconds, double deadlineMillis) {
    long from = now + (long) (settle * 1e9);
    long end = from + (long) (seconds * 1e9);
    Load load = new Load(share * shape.capacity(), from, end, deadlineMillis, new Measurements());
    at(now, () -> arrive(load));
    while (now < end) {
      step();
    }
    return load.seen();
  }

  /**
   * Lets closed-loop clients pause: those that get a response in every other period wait until its
   * end.
   *
   * @param most how many pause at a time
   */
  void pauseTogether(long periodMillis, int most) {
    pausePeriod = periodMillis * MILLI;
    mostPaused = most;
  }

  /** Adds clients that send a request after each response, all at once. */
  Measurements loop(int clients, double seconds) {
    return loop(clients, 0, seconds);
  }

  /** Adds clients that send a request after each response, one every few milliseconds. */
  Measurements loop(int clients, long startIntervalMillis, double seconds) {
    long end = now + (long) (seconds * 1e9);
    Load load = new Load(0, now, end, Double.MAX_VALUE, new Measurements());
    for (int client = 0; client < clients; client++) {
      at(now + client * startIntervalMillis * MILLI, () -> ask(load));
    }
    while (now < end) {
      step();
    }
    return load.seen();
  }

  /** Runs until all requests have ended. */
  void drain() {
    while (queues.occupiedSlots() + queues.waiting() > 0) {
      step();
    }
  }

  private void at(long when, Runnable action) {
    events.add(new Event(when, order++, action));
  }

  private void tick() {
    queues.tick();
    at(now + 5 * MILLI, this::tick);
  }

  /** Runs until the next event, or until a task is done. */
  private void step() {
    int running = nodes.stream().mapToInt(node -> node.running.size()).sum();
    double speed = Math.min(1, shape.cores() / Math.max(1, running));
    double next = events.isEmpty() ? Double.POSITIVE_INFINITY : events.element().at() - now;
    Node where = null;
    Task first = null;
    for (Node node : nodes) {
      for (Task task : node.running) {
        double nanos = task.left * node.slowness / speed;
        if (nanos < next) {
          next = nanos;
          where = node;
          first = task;
        }
      }
    }
    for (Node node : nodes) {
      for (Task task : node.running) {
        task.left -= next * speed / node.slowness;
      }
    }
    now += (long) next;
    if (first == null || where == null) {
      events.remove().action().run();
    } else {
      done(where, first);
    }
  }

  private void arrive(Load load) {
    if (now >= load.end()) {
      return;
    }
    double gap = -Math.log(1 - random.nextDouble()) / load.rate() * 1e9;
    at(now + (long) gap, () -> arrive(load));
    ask(load);
  }

  private void ask(Load load) {
    if (now >= load.end()) {
      return;
    }
    Search search = new Search(now, load, number++);
    load.seen().offered += load.measures(search) ? 1 : 0;
    List<List<String>> calls = new ArrayList<>();
    for (int shard = 0; shard < shape.shards(); shard++) {
      double spread = shape.sigma() * random.nextGaussian() - shape.sigma() * shape.sigma() / 2;
      search.work.add(shape.millis() * MILLI * Math.exp(spread));
      calls.add(copies(search, shard));
    }
    QueuePosition<Search> place =
        queues
            .queueFor(NodeThreadPool.SEARCH)
            .offer(search, new QueuedRequest(NodeDemand.of(calls), "t", 0, Long.MAX_VALUE));
    if (place.state() != QueuePosition.State.WAITING) {
      told(place);
    }
  }

  private List<String> copies(Search search, int shard) {
    if (!indices.isEmpty()) {
      return List.of(indices.get(search.first % indices.size()).get(shard));
    }
    int node = (search.first + shard) % nodes.size();
    return List.of("n" + node, "n" + (node + 1) % nodes.size());
  }

  private void told(QueuePosition<Search> place) {
    Search search = place.request();
    if (place.rejection() != null) {
      if (search.load.measures(search)) {
        search.load.seen().refused.add((now - search.arrived) / (double) MILLI);
      }
      again(search);
      return;
    }
    search.left = search.work.size();
    for (int shard = 0; shard < search.work.size(); shard++) {
      List<String> copies = copies(search, shard);
      NodeConcurrencyLimiter first =
          queues.limiters().limiter(copies.getFirst(), NodeThreadPool.SEARCH);
      NodeConcurrencyLimiter other =
          queues.limiters().limiter(copies.getLast(), NodeThreadPool.SEARCH);
      NodeConcurrencyLimiter best = other.freeSlots() > first.freeSlots() ? other : first;
      Node node = nodes.get(Integer.parseInt(best.nodeId().substring(1)));
      best.heldSlots().onCallStart("t", now);
      node.queue.add(new Task(search, search.work.get(shard), best.onCallStart()));
      start(node);
    }
    queues.queueFor(NodeThreadPool.SEARCH).release(place);
  }

  private void again(Search search) {
    if (search.load.rate() == 0) {
      boolean pauses = paused < mostPaused && now / pausePeriod % 2 == 1;
      paused += pauses ? 1 : 0;
      long pause = pauses ? pausePeriod - now % pausePeriod : MILLI / 2;
      at(
          now + pause,
          () -> {
            paused -= pauses ? 1 : 0;
            ask(search.load);
          });
    }
  }

  private void start(Node node) {
    while (node.running.size() < shape.threads() && !node.queue.isEmpty()) {
      node.running.add(node.queue.remove());
    }
  }

  private void done(Node node, Task task) {
    node.running.remove(task);
    int waiting = node.queue.size();
    start(node);
    Search search = task.search;
    if (search.load.measures(search)) {
      search.load.seen().callMillis.add((now - task.began) / (double) MILLI);
    }
    if (--search.left == 0) {
      if (search.load.measures(search)) {
        double millis = (now - search.arrived) / (double) MILLI;
        search.load.seen().answered.add(millis);
        search.load.seen().inTime += millis <= search.load.deadlineMillis() ? 1 : 0;
      }
      again(search);
    }
    // the gateway receives the response a little later
    at(
        now + MILLI / 4,
        () -> {
          NodeConcurrencyLimiter limiter =
              queues.limiters().limiter(node.id, NodeThreadPool.SEARCH);
          limiter.heldSlots().onCallEnd("t");
          limiter.onResponse(0, waiting, task.began, true);
        });
  }
}
