package dev.weir.it.pruning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.time.Duration;
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
import org.junit.jupiter.api.Test;

/**
 * The gateway's next search finds every acknowledged write, even in an index that was just pruned,
 * and with an old cluster view.
 */
class PruningFreshIT {
  private static final int DAYS = 7;
  private static final int ROUNDS = 12;
  private static final int READERS = 3;
  private static final Pattern TOTAL = Pattern.compile("\"total\":\\{\"value\":(\\d+)");

  /** Selects documents written after the removal of the blocks. */
  private static final String LATER =
      "{\"query\":{\"range\":{\"@timestamp\":{\"gte\":%d}}},\"size\":0,"
          + "\"track_total_hits\":true}";

  private static final DataNodeCluster NODES = SharedCluster.get();

  @Test
  void findWritesAfterAWriteBlockIsRemoved() throws Exception {
    try (RestClient node = new RestClient(NODES.node(1).httpUri())) {
      DailyIndices days = new DailyIndices(node, "fresh-pruned-");
      days.delete();
      try {
        for (int day = 0; day < DAYS; day++) {
          days.create(day, 1, 5, new Random(day));
          days.blockWrites(day);
        }
        try (TestBed bed =
            TestBed.withSections(
                NODES.seeds(),
                "search: {time-pruning: {indices: [\"fresh-pruned-*\"], learning-delay: 0ms}}")) {
          race(node, days, bed);
        }
      } finally {
        days.delete();
      }
    }
  }

  @Test
  void runCanMatchForWritableIndices() {
    try (RestClient node = new RestClient(NODES.node(1).httpUri())) {
      DailyIndices days = new DailyIndices(node, "guessed-pruned-");
      days.delete();
      try {
        for (int day = 0; day < DAYS; day++) {
          days.create(day, 1, 5, new Random(day));
        }
        node.send("POST", "/guessed-pruned-*/_refresh").orThrow();
        try (TestBed bed =
            TestBed.withSections(
                NODES.seeds(),
                "search: {time-pruning: {indices: [\"guessed-pruned-*\"], learning-delay: 0ms}}")) {
          DailyIndices.awaitGuessed(bed, guessed -> guessed == DAYS);
          String search = LATER.formatted(DailyIndices.at(30, Duration.ZERO).toEpochMilli());
          RestReply nothing = bed.rest().send("POST", "/guessed-pruned-*/_search", search);
          assertThat(total(nothing)).isZero();
          // of three nodes with the plugin, two may have only one of the copies: not worth a
          // question
          assertThat(DailyIndices.skippedShards(nothing)).isBetween(DAYS - 2L, DAYS - 1L);
          assertThat(DailyIndices.maskVolatileValues(nothing))
              .isEqualTo(
                  DailyIndices.maskVolatileValues(
                      node.send("POST", "/guessed-pruned-*/_search", search)));
          String late =
              "{\"@timestamp\":%d}".formatted(DailyIndices.at(40, Duration.ZERO).toEpochMilli());
          node.send("PUT", "/" + days.index(3) + "/_doc/late?refresh=true", late).orThrow();
          assertThat(total(bed.rest().send("POST", "/guessed-pruned-*/_search", search))).isOne();
        }
      } finally {
        days.delete();
      }
    }
  }

  private static void race(RestClient node, DailyIndices days, TestBed bed) throws Exception {
    String search = LATER.formatted(DailyIndices.at(30, Duration.ZERO).toEpochMilli());
    AtomicInteger written = new AtomicInteger();
    AtomicInteger pruned = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    List<Future<?>> readers = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(READERS)) {
      for (int reader = 0; reader < READERS; reader++) {
        readers.add(
            threads.submit(() -> {
              while (!over.get()) {
                int before = written.get();
                RestReply reply =
                    bed.rest().send("POST", "/fresh-pruned-*/_search", search).orThrow();
                assertThat(total(reply)).as(reply.body()).isGreaterThanOrEqualTo(before);
                assertThat(reply.body()).contains("\"failed\":0");
                pruned.addAndGet(DailyIndices.skippedShards(reply) > 0 ? 1 : 0);
              }
            }));
      }
      try {
        for (int round = 0; round < ROUNDS; round++) {
          DailyIndices.awaitKnown(bed, known -> known == DAYS);
          Await.untilValue(
              "pruned searches of readers",
              pruned::get,
              count -> count > 0 || readers.stream().anyMatch(Future::isDone));
          writeWhileUnblocked(node, days.index(round % DAYS), round);
          written.incrementAndGet();
          assertThat(total(bed.rest().send("POST", "/fresh-pruned-*/_search", search)))
              .isEqualTo(written.get());
          days.blockWrites(round % DAYS);
        }
      } finally {
        over.set(true);
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
    }
    assertThat(pruned).hasPositiveValue();
    assertThat(bed.admin().send("GET", "/stats").body()).contains("\"invalidations\"");
  }

  private static void writeWhileUnblocked(RestClient node, String index, int round) {
    node.send("PUT", "/" + index + "/_settings", "{\"index.blocks.write\":null}").orThrow();
    node.send(
            "PUT",
            "/" + index + "/_doc/late-" + round + "?refresh=true",
            "{\"@timestamp\":%d}"
                .formatted(DailyIndices.at(30 + round, Duration.ZERO).toEpochMilli()))
        .orThrow();
  }

  private static int total(RestReply reply) {
    Matcher found = TOTAL.matcher(reply.body());
    assertThat(found.find()).as(reply.body()).isTrue();
    return Integer.parseInt(found.group(1));
  }
}
