package dev.weir.bench.traffic;

import dev.weir.bench.HttpConnection;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoad;
import dev.weir.bench.Workload;
import dev.weir.testkit.process.ScratchFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What it costs clients and gateway that every write goes to a second cluster too, before its
 * client is answered: beside the same writes to one of the same two clusters. Used once.
 */
final class RepeatedWrites {
  private static final int DOCUMENTS = 100;
  private static final double DEADLINE_SECONDS = 10;

  private final PrintStream out;
  private final Terms terms;
  private final List<Load> loads;
  private final Map<Load, Pair> seen = new LinkedHashMap<>();

  /**
   * For how long is measured.
   *
   * @param seconds of a round
   * @param warmUp seconds for each gateway and load
   * @param bulks a second
   * @param writes of one document, a second
   */
  record Terms(double seconds, int rounds, double warmUp, double bulks, double writes) {}

  private record Load(Workload workload, double perSecond) {}

  /** The same load, without and with a second cluster. */
  private record Pair(Seen once, Seen twice) {}

  RepeatedWrites(PrintStream out, Terms terms) {
    this.out = out;
    this.terms = terms;
    String document = Workload.document(new Random(1), 1);
    this.loads =
        List.of(
            new Load(Workload.bulk(DOCUMENTS), terms.bulks()),
            new Load(
                Workload.posting("index request", "/bench-write/_doc", n -> document),
                terms.writes()));
  }

  /**
   * Measures and prints.
   *
   * @param clusters the section of that name: blue and green
   */
  void measure(String clusters) throws IOException {
    try (ScratchFolder log = ScratchFolder.create("weir-bench-repair-");
        MeasuredGateway once = MeasuredGateway.of(clusters);
        MeasuredGateway twice =
            MeasuredGateway.of(
                clusters
                    + "traffic: {dual-writes: {to: green, repair-log: \""
                    + log.path()
                    + "\"}}\n")) {
      for (Load load : loads) {
        out.println("warming up: " + load.workload().name());
        run(once, load, terms.warmUp());
        run(twice, load, terms.warmUp());
        seen.put(
            load,
            new Pair(
                new Seen(once, gateway -> run(gateway, load, terms.seconds())),
                new Seen(twice, gateway -> run(gateway, load, terms.seconds()))));
      }
      for (int round = 1; round <= terms.rounds(); round++) {
        for (Map.Entry<Load, Pair> each : seen.entrySet()) {
          tell(round, each.getKey(), "once", each.getValue().once().round());
          tell(round, each.getKey(), "twice", each.getValue().twice().round());
        }
      }
      for (Pair pair : seen.values()) {
        pair.once().allocations();
        pair.twice().allocations();
      }
      print();
      outcomes(twice);
    }
  }

  private static OpenLoad.Result run(MeasuredGateway gateway, Load load, double seconds) {
    return OpenLoad.run(
        List.of(gateway.address()),
        load.workload(),
        new OpenLoad.Pace(load.perSecond(), 0, seconds),
        DEADLINE_SECONDS);
  }

  private void tell(int round, Load load, String times, OpenLoad.Result result) {
    out.printf(
        "round %d: %s, written %s: p50 %.1f ms, p99 %.1f ms%n",
        round, load.workload().name(), times, result.millis(50), result.millis(99));
  }

  private void print() {
    out.printf(
        "%n%-14s %-13s %8s %8s %6s %14s %6s %14s %6s %12s%n",
        "write",
        "to",
        "p50 ms",
        "p99 ms",
        "ratio",
        "own CPU us/req",
        "ratio",
        "heap bytes/req",
        "ratio",
        "not in time");
    seen.forEach((load, pair) -> {
      row(load, "one cluster", pair.once(), pair.once());
      row(load, "two clusters", pair.twice(), pair.once());
    });
  }

  private void row(Load load, String to, Seen sees, Seen base) {
    out.printf(
        "%-14s %-13s %8.1f %8.1f %6.2f %14.0f %6.2f %14.0f %6.2f %12d%n",
        load.workload().name(),
        to,
        sees.millis(50),
        sees.millis(99),
        sees.millis(99) / base.millis(99),
        sees.cpuMicros(),
        sees.cpuMicros() / base.cpuMicros(),
        sees.allocatedBytes(),
        sees.allocatedBytes() / base.allocatedBytes(),
        sees.notInTime());
  }

  /** What became of the second writes: figures of those that did not happen would mean little. */
  private void outcomes(MeasuredGateway gateway) throws IOException {
    try (HttpConnection admin = HttpConnection.keepingBodies(gateway.admin())) {
      admin.exchange(Workload.request("GET", "/metrics", ""));
      admin
          .body()
          .lines()
          .filter(line -> line.startsWith("weir_dual_writes_total"))
          .forEach(out::println);
    }
  }
}
