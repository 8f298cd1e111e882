package dev.weir.it.pruning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.plugin.PluginPlacements;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.TestSeed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Searches that leave out shards of indices without a write block give the same responses as a
 * node, while the indices change.
 */
class WritablePruningIT {
  private static final int DAYS = 7;
  private static final int SHARDS = 2 * DAYS;
  private static final int CHANGES = 16;
  private static final int SEARCHES_PER_CHANGE = 3;
  private static final int WRITES = 10;
  private static final int READERS = 2;
  private static final Pattern TOTAL = Pattern.compile("\"total\":\\{\"value\":(\\d+)");

  /** Finds documents that are later than all days. */
  private static final String LATER =
      "{\"query\":{\"range\":{\"@timestamp\":{\"gte\":%d}}},\"size\":0,\"track_total_hits\":true}"
          .formatted(DailyIndices.at(30, Duration.ZERO).toEpochMilli());

  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final RestClient NODE = new RestClient(NODES.node(0).httpUri());
  private static final DailyIndices INDICES = new DailyIndices(NODE, "open-pruned-");
  private static final String SEARCH = "/open-pruned-*/_search?";

  private static TestBed bed;

  @BeforeAll
  static void start() {
    PluginPlacements.assumeOnAllNodes();
    INDICES.delete();
    for (int day = 0; day < DAYS; day++) {
      INDICES.create(day, 2, 20, new Random(day));
    }
    NODE.send("POST", "/open-pruned-*/_refresh").orThrow();
    bed =
        TestBed.withSections(
            NODES.seeds(),
            "search: {time-pruning: {indices: [\"open-pruned-*\"], learning-delay: 0ms}}");
    DailyIndices.awaitCopies(bed, known -> known == SHARDS);
  }

  @AfterAll
  static void close() {
    INDICES.delete();
    if (bed != null) { // null if the tests are skipped
      bed.close();
    }
  }

  @Test
  void answersLikeANodeWhileIndicesChange() {
    Random random = new Random(TestSeed.random(WritablePruningIT.class).nextLong());
    long before = DailyIndices.skippedWritableShards(bed);
    for (int change = 0; change < CHANGES; change++) {
      DailyIndices.awaitCopies(bed, known -> known > 0); // forgets a node that answers late
      String what = change(random, change);
      assertAnsweredAlike(what, SEARCH, ofOneDay(random.nextInt(DAYS)));
      for (int n = 0; n < SEARCHES_PER_CHANGE; n++) {
        RandomSearches searches = new RandomSearches(random.nextLong(), DAYS);
        String path = SEARCH + searches.parameters();
        String body = searches.body();
        if (RandomSearches.isAlwaysAnsweredAlike(body)) {
          assertAnsweredAlike(what, path, body);
        }
      }
    }
    Await.untilValue(
        "shards left out",
        () -> {
          bed.rest().send("POST", SEARCH, LATER).orThrow();
          return DailyIndices.skippedWritableShards(bed) - before;
        },
        skipped -> skipped > 0);
  }

  @Test
  void leavesShardsOutAndFindsWhatIsRefreshedNext() {
    DailyIndices.awaitCopies(bed, known -> known == SHARDS);
    String far = LATER.replaceAll("\"gte\":\\d+", "\"gte\":\"2099-01-01T00:00:00.000Z\"");
    long before = DailyIndices.skippedWritableShards(bed);
    long skipped =
        Await.untilValue(
            "more than half of the shards left out",
            () -> {
              assertThat(total(bed.rest().send("POST", SEARCH, far))).isZero();
              return DailyIndices.skippedWritableShards(bed) - before;
            },
            more -> more > SHARDS / 2);
    assertThat(skipped).isLessThan(SHARDS);
    write(3, "later", Instant.parse("2099-05-05T00:00:00Z"));
    assertThat(total(bed.rest().send("POST", SEARCH, far))).as("before the refresh").isZero();
    NODE.send("POST", "/" + INDICES.index(3) + "/_refresh").orThrow();
    assertThat(total(bed.rest().send("POST", SEARCH, far))).isOne();
    NODE.send("DELETE", "/" + INDICES.index(3) + "/_doc/later?refresh=true").orThrow();
    assertThat(total(bed.rest().send("POST", SEARCH, far))).isZero();
  }

  @Test
  void findsEachRefreshedWrite() throws Exception {
    AtomicInteger written = new AtomicInteger();
    AtomicInteger pruned = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    List<Future<?>> readers = new ArrayList<>();
    int start = total(bed.rest().send("POST", SEARCH, LATER).orThrow());
    try (ExecutorService threads = Executors.newFixedThreadPool(READERS)) {
      for (int reader = 0; reader < READERS; reader++) {
        readers.add(
            threads.submit(() -> {
              while (!over.get()) {
                int before = start + written.get();
                RestReply reply = bed.rest().send("POST", SEARCH, LATER).orThrow();
                assertThat(total(reply)).as(reply.body()).isGreaterThanOrEqualTo(before);
                assertThat(reply.body()).contains("\"failed\":0");
                pruned.addAndGet(DailyIndices.skippedShards(reply) > 0 ? 1 : 0);
              }
            }));
      }
      try {
        Await.untilValue(
            "pruned searches of readers",
            pruned::get,
            count -> count > 0 || readers.stream().anyMatch(Future::isDone));
        for (int n = 0; n < WRITES; n++) {
          int day = n % (DAYS - 3); // the others can be left out
          write(day, "race-" + n, DailyIndices.at(31 + n, Duration.ZERO));
          NODE.send("POST", "/" + INDICES.index(day) + "/_refresh").orThrow();
          written.incrementAndGet();
          assertThat(total(bed.rest().send("POST", SEARCH, LATER))).isEqualTo(start + n + 1);
        }
      } finally {
        over.set(true);
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
    }
  }

  private static void assertAnsweredAlike(String change, String path, String body) {
    assertThat(DailyIndices.maskVolatileValues(bed.rest().send("POST", path, body)))
        .as("after %s: %s %s", change, path, body)
        .isEqualTo(DailyIndices.maskVolatileValues(NODE.send("POST", path, body)));
  }

  /** A search that most shards have no match for. */
  private static String ofOneDay(int day) {
    return "{\"query\":{\"range\":{\"@timestamp\":{\"gte\":\"%s\",\"lt\":\"%s\"}}},\"size\":3,\"sort\":[\"n\"]}"
        .formatted(DailyIndices.at(day, Duration.ZERO), DailyIndices.at(day + 1, Duration.ZERO));
  }

  private static void write(int day, String id, Instant time) {
    NODE.send(
            "PUT",
            "/" + INDICES.index(day) + "/_doc/" + id,
            "{\"@timestamp\":%d,\"n\":1,\"title\":\"an odd one\",\"word\":\"word1\"}"
                .formatted(time.toEpochMilli()))
        .orThrow();
  }

  /** Changes an index in a random way; returns what it did. */
  private static String change(Random random, int number) {
    int day = random.nextInt(DAYS);
    String index = "/" + INDICES.index(day);
    return switch (random.nextInt(8)) {
      case 0, 1 -> {
        Instant time = DailyIndices.at(random.nextInt(DAYS), Duration.ofMinutes(number));
        write(day, "more-" + number, time);
        yield "a write without refresh to " + index;
      }
      case 2 -> {
        Instant time = DailyIndices.at(random.nextInt(DAYS), Duration.ofMinutes(number));
        write(day, "more-" + number, time);
        NODE.send("POST", index + "/_refresh").orThrow();
        yield "a write to " + index;
      }
      case 3 -> {
        NODE.send("DELETE", index + "/_doc/" + day + "-" + random.nextInt(20) + "?refresh=true");
        yield "a delete in " + index;
      }
      case 4 -> {
        NODE.send("POST", "/open-pruned-*/_refresh").orThrow();
        yield "a refresh";
      }
      case 5 -> {
        NODE.send(
                "PUT",
                index + "/_mapping",
                "{\"properties\":{\"more%d\":{\"type\":\"keyword\"}}}".formatted(number))
            .orThrow();
        yield "a new field in " + index;
      }
      case 6 -> {
        NODE.send("POST", index + "/_forcemerge?max_num_segments=1").orThrow();
        yield "a merge of " + index;
      }
      default -> {
        move(INDICES.index(day), random);
        yield "a move of " + index;
      }
    };
  }

  /** Moves a shard to another node, and waits until it is there. */
  private static void move(String index, Random random) {
    DataNode target = NODES.nodes().get(random.nextInt(NODES.nodes().size()));
    String from =
        NODE.send("GET", "/_cat/shards/" + index + "?h=shard,id")
            .orThrow()
            .body()
            .lines()
            .filter(line -> line.startsWith("0"))
            .findFirst()
            .orElseThrow()
            .split("\\s+")[1];
    if (!from.equals(target.id())) {
      NODE.send(
              "POST",
              "/_cluster/reroute",
              "{\"commands\":[{\"move\":{\"index\":\"%s\",\"shard\":0,\"from_node\":\"%s\",\"to_node\":\"%s\"}}]}"
                  .formatted(index, from, target.id()))
          .orThrow();
      Await.untilValue(
          "no shard that moves",
          () -> NODE.send("GET", "/_cat/shards/" + index + "?h=state").orThrow().body(),
          states -> !states.contains("RELOCATING") && !states.contains("INITIALIZING"));
    }
  }

  private static int total(RestReply reply) {
    Matcher found = TOTAL.matcher(reply.orThrow().body());
    assertThat(found.find()).as(reply.body()).isTrue();
    return Integer.parseInt(found.group(1));
  }
}
