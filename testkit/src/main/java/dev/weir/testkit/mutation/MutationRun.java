package dev.weir.testkit.mutation;

import dev.weir.testkit.RestClient;
import dev.weir.testkit.hostile.HostileClient;
import dev.weir.testkit.hostile.HostileCorpus;
import dev.weir.testkit.hostile.HostileOutcome;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Sends mutated requests to a node and then, for an equal index, to a gateway. Several lanes run at
 * once, each with a pair of indices that it makes afresh now and then.
 */
public final class MutationRun {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final int AFRESH_AFTER = 500;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;
  private static final int MOST_KEPT = 200;
  private static final int PROGRESS_AFTER = 10_000;
  private static final long SLOW_NANOS = 2_000_000_000;

  private final RestClient admin;
  private final HostileClient node;
  private final HostileClient gateway;
  private final List<SeedRequest> seeds = SeedRequest.all();
  private final AtomicInteger requests = new AtomicInteger();
  private final Map<Integer, Integer> statuses = Collections.synchronizedMap(new TreeMap<>());
  private final List<String> refused = Collections.synchronizedList(new ArrayList<>());
  private final List<String> differences = Collections.synchronizedList(new ArrayList<>());
  private final List<String> slow = Collections.synchronizedList(new ArrayList<>());
  private final Consumer<String> progress;

  /**
   * A run against one pair of endpoints of the same cluster.
   *
   * @param admin a client of the node, which makes and deletes indices
   * @param progress receives a line now and then
   */
  public MutationRun(RestClient admin, InetSocketAddress gateway, Consumer<String> progress) {
    this.progress = progress;
    this.admin = admin;
    this.node =
        new HostileClient(new InetSocketAddress("127.0.0.1", admin.base().getPort()), TIMEOUT);
    this.gateway = new HostileClient(gateway, TIMEOUT);
  }

  /**
   * Runs until so many requests were sent or the time is up, and deletes every index that came into
   * being.
   *
   * @param seed determines the requests of each lane
   */
  public MutationReport run(long seed, int lanes, int most, Duration time) {
    Set<String> before = indices();
    long end = System.nanoTime() + time.toNanos();
    List<CompletableFuture<Void>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(lanes)) {
      for (int lane = 0; lane < lanes; lane++) {
        int number = lane;
        running.add(
            CompletableFuture.runAsync(
                () -> runLane(number, new Random(seed + number), most, end), threads));
      }
      running.forEach(CompletableFuture::join);
    } finally {
      Set<String> made = indices();
      made.removeAll(before);
      made.forEach(index -> admin.send("DELETE", "/" + index));
    }
    return report(seed);
  }

  /** Returns what has come of the requests so far. */
  MutationReport report(long seed) {
    return new MutationReport(seed, requests.get(), statuses, refused, differences, slow);
  }

  private void runLane(int lane, Random random, int most, long end) {
    RequestMutator mutator = new RequestMutator(random);
    String left = "mutation-r" + lane;
    String right = "mutation-c" + lane;
    for (int i = 0; System.nanoTime() - end < 0 && requests.get() < most; i++) {
      if (i % AFRESH_AFTER == 0) {
        makeAfresh(left);
        makeAfresh(right);
      }
      SeedRequest request = mutator.mutate(seeds.get(random.nextInt(seeds.size())));
      int number = requests.incrementAndGet();
      if (number % PROGRESS_AFTER == 0) {
        progress.accept(number + " requests");
      }
      compare(request, left, right);
    }
  }

  /**
   * Sends a request to both sides and compares their responses. Blocks.
   *
   * @param left the node's index
   * @param right the gateway's
   */
  void compare(SeedRequest request, String left, String right) {
    HostileOutcome expected = send(node, request, left);
    statuses.merge(expected.status(), 1, Integer::sum);
    HostileOutcome got = send(gateway, request, right);
    if (Math.max(expected.nanos(), got.nanos()) > SLOW_NANOS && slow.size() < MOST_KEPT) {
      slow.add(
          "node %.0f ms, gateway %.0f ms for %s"
              .formatted(expected.millis(), got.millis(), request));
    }
    if (got.statusClass() == expected.statusClass() || !differsAgain(request, left, right)) {
      return;
    }
    String line =
        "node %d, gateway %d for %s%n  node    %s%n  gateway %s"
            .formatted(
                expected.status(),
                got.status(),
                request,
                oneLine(expected.excerpt()),
                oneLine(got.excerpt()));
    boolean isRefusal = got.status() == TOO_MANY_REQUESTS || got.status() == UNAVAILABLE;
    List<String> kept = isRefusal ? refused : differences;
    if (kept.size() < MOST_KEPT) {
      kept.add(line);
    }
  }

  /**
   * Sends a request to both once more: a pattern may find indices that another lane is about to
   * delete. A write gets equal indices again before, because it finds what it wrote otherwise, and
   * both refuse it alike.
   */
  private boolean differsAgain(SeedRequest request, String left, String right) {
    if (request.isRead()) {
      return send(node, request, right).statusClass()
          != send(gateway, request, right).statusClass();
    }
    makeAfresh(left);
    makeAfresh(right);
    return send(node, request, left).statusClass() != send(gateway, request, right).statusClass();
  }

  private static HostileOutcome send(HostileClient client, SeedRequest request, String index) {
    byte[][] bytes = request.bytes(index);
    return client.send(bytes[0], bytes[1]);
  }

  private static String oneLine(String excerpt) {
    int body = excerpt.indexOf("\r\n\r\n");
    return excerpt.substring(Math.max(0, body)).replaceAll("\\s+", " ");
  }

  private void makeAfresh(String index) {
    admin.send("DELETE", "/" + index);
    HostileCorpus.load(admin, index);
  }

  private Set<String> indices() {
    return admin
        .send("GET", "/_cat/indices?h=index&expand_wildcards=all")
        .orThrow()
        .body()
        .lines()
        .map(String::strip)
        .filter(index -> !index.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
