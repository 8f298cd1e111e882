package dev.weir.bench.codec;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.ClusterSpec;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the plugin's codecs beside the stock codecs, on one data node. */
@Command(
    name = "codec",
    description = {
      "index codecs: bytes of stored fields, CPU of loading, time of random fetches",
      "Each round loads an index with each codec, merges it into one segment, and fetches from it."
    })
public final class CodecBench implements Callable<Integer> {
  private static final String STOCK = "default";
  private static final String WEIR = "weir_zstd";
  private static final List<String> CODECS =
      List.of(STOCK, WEIR, "weir_zstd_32k", "best_compression");

  private static final double MAX_BYTES = 0.65;
  private static final double MAX_LOAD = 1.05;

  @Option(names = "--documents", description = "of an index (default: ${DEFAULT-VALUE})")
  private int documents = 200_000;

  @Option(names = "--rounds", description = "loads with each codec (default: ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(
      names = "--warm-up",
      description = "rounds before those that count (default: ${DEFAULT-VALUE})")
  private int warmUp = 2;

  @Option(
      names = "--fetches",
      description = "requests for 50 random documents each (default: ${DEFAULT-VALUE})")
  private int fetches = 400;

  private final PrintStream out = System.out;
  private final BenchClusters clusters;

  /** Creates the command. */
  public CodecBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    ResultChecks checks = new ResultChecks(out);
    ClusterSpec spec =
        ClusterSpec.ofNodes(1)
            .withName("weir-bench-with-plugin")
            .mapNodes(node -> node.withHeap("1g"))
            .withoutAotCache()
            .withProgress(out::println);
    try (BenchClusters.Lease lease = clusters.lease(spec)) {
      for (DocumentKind kind : DocumentKind.values()) {
        Map<String, CodecMeasurement> results =
            measure(new MeasuredIndex(lease.cluster().node(0), kind, documents, fetches));
        print(kind, results);
        check(kind, results, checks);
      }
    }
    checks.print();
    return checks.exitCode();
  }

  private Map<String, CodecMeasurement> measure(MeasuredIndex index) throws IOException {
    Map<String, List<CodecMeasurement>> all = new LinkedHashMap<>();
    CODECS.forEach(codec -> all.put(codec, new ArrayList<>()));
    for (int round = 0; round < warmUp + rounds; round++) {
      for (int i = 0; i < CODECS.size(); i++) {
        // Another codec begins each round.
        String codec = CODECS.get((i + round) % CODECS.size());
        CodecMeasurement measured = index.measure(codec);
        if (round >= warmUp) {
          all.computeIfAbsent(codec, c -> new ArrayList<>()).add(measured);
        }
      }
    }
    Map<String, CodecMeasurement> results = new LinkedHashMap<>();
    all.forEach((codec, measured) -> results.put(codec, CodecMeasurement.median(measured)));
    return results;
  }

  private void print(DocumentKind kind, Map<String, CodecMeasurement> results) {
    CodecMeasurement stock = require(results, STOCK);
    out.printf(
        Locale.ROOT,
        "%n%-10s %-18s %10s %7s %10s %7s %10s %7s %10s %10s %12s%n",
        "documents",
        "codec",
        "stored MB",
        "ratio",
        "load CPU-s",
        "ratio",
        "merge CPU-s",
        "ratio",
        "p50 ms/50",
        "p99 ms/50",
        "CPU us/doc");
    results.forEach((codec, got) ->
        out.printf(
            Locale.ROOT,
            "%-10s %-18s %10.2f %7.3f %10.2f %7.3f %10.2f %7.3f %10.2f %10.2f %12.1f%n",
            kind.name().toLowerCase(Locale.ROOT),
            codec,
            got.storedBytes() / 1e6,
            got.storedBytes() / stock.storedBytes(),
            got.loadCpuSeconds(),
            got.loadCpuSeconds() / stock.loadCpuSeconds(),
            got.mergeCpuSeconds(),
            got.mergeCpuSeconds() / stock.mergeCpuSeconds(),
            got.medianMillis(),
            got.slowMillis(),
            got.fetchCpuMicros()));
  }

  private static void check(
      DocumentKind kind, Map<String, CodecMeasurement> results, ResultChecks checks) {
    CodecMeasurement stock = require(results, STOCK);
    CodecMeasurement weir = require(results, WEIR);
    String title = kind.name().toLowerCase(Locale.ROOT);
    checks.checkAtMost(
        title, "stored bytes, of LZ4's", weir.storedBytes() / stock.storedBytes(), MAX_BYTES);
    checks.checkAtMost(
        title,
        "CPU of loading, of LZ4's",
        weir.loadCpuSeconds() / stock.loadCpuSeconds(),
        MAX_LOAD);
  }

  private static CodecMeasurement require(Map<String, CodecMeasurement> results, String codec) {
    return Objects.requireNonNull(results.get(codec), codec);
  }
}
