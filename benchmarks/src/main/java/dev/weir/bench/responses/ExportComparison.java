package dev.weir.bench.responses;

import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.InFlightStats;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import dev.weir.testkit.DataNode;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Compares the gateway's exports of all rows of an index with a client that scrolls by 1000 hits
 * through a coordinating-only node. Neither client parses rows: that of the scroll looks for the
 * scroll id and counts the hits, so that the comparison is one of the servers.
 */
final class ExportComparison {
  private static final String INDEX = "bench-export";
  private static final int SCROLLED = 1000;
  private static final int ROUNDS = 3;
  private static final double OF_SCROLL = 0.3;
  private static final double MAX_HELD_MB = 64;
  private static final String HELD = "request_memory_bytes";

  /** It stands at the beginning of a page. */
  private static final Pattern SCROLL_ID = Pattern.compile("\"_scroll_id\":\"([^\"]+)\"");

  /** What stands once in each hit. */
  private static final String HIT = "\"_index\":\"" + INDEX + '"';

  private final InetSocketAddress coordinator;
  private final MeasuredGateway gateway;
  private final List<Long> processes = new ArrayList<>();
  private final int rows;
  private final WarmUp warmUp;

  /** The resources that a read of all rows used. */
  private record RunCost(double seconds, double gatewayCpu, double nodesCpu, double megabytes) {}

  /** Reads all rows; returns the bytes of the responses. */
  private interface RowReader {
    long run() throws IOException;
  }

  /**
   * One way to read all rows.
   *
   * @param process the index of the process that serves it
   */
  private record ReadPath(String name, int process, RowReader reader) {}

  ExportComparison(
      DataNode coordinator,
      MeasuredGateway gateway,
      List<Long> dataNodes,
      int rows,
      WarmUp warmUp) {
    this.warmUp = warmUp;
    this.coordinator = new InetSocketAddress("127.0.0.1", coordinator.httpPort());
    this.gateway = gateway;
    this.processes.add(coordinator.pid());
    this.processes.add(gateway.pid());
    this.processes.addAll(dataNodes);
    this.rows = rows;
  }

  void run(PrintStream out, ResultChecks verdicts) throws IOException {
    try (BlockingHttpConnection connection = BlockingHttpConnection.withBodies(coordinator)) {
      ResponseIndexes.loadNarrow(connection, INDEX, rows);
    }
    out.println("loaded " + rows + " documents");
    ReadPath scrolls = new ReadPath("scrolls of " + SCROLLED, 0, this::scroll);
    List<ReadPath> exports =
        Stream.of("ndjson", "csv", "arrow")
            .map(form -> new ReadPath("export, " + form, 1, () -> export(form)))
            .toList();
    List<ReadPath> all = Stream.concat(Stream.of(scrolls), exports.stream()).toList();
    warmUp.run(
        "all rows",
        all.stream().map(ReadPath::name).toList(),
        (i, seconds) -> warmUpRound(all.get(i), seconds));
    RunCost scroll = best(out, scrolls);
    for (ReadPath path : exports) {
      RunCost export = best(out, path);
      verdicts.checkAtMost(
          path.name(), "time, of scrolls'", export.seconds / scroll.seconds, OF_SCROLL);
    }
    checkHeld(verdicts);
  }

  /** Reads all rows as often as fits into the time; returns the CPU microseconds of a read. */
  private double warmUpRound(ReadPath path, double seconds) throws IOException {
    long pid = processes.get(path.process());
    long cpu = ProcessUsage.read(pid).cpuNanos();
    long end = System.nanoTime() + (long) (seconds * 1e9);
    int runs = 0;
    do {
      path.reader().run();
      runs++;
    } while (System.nanoTime() - end < 0);
    return (ProcessUsage.read(pid).cpuNanos() - cpu) / 1e3 / runs;
  }

  private RunCost best(PrintStream out, ReadPath path) throws IOException {
    int own = path.process();
    RunCost best = null;
    for (int round = 0; round < ROUNDS; round++) {
      List<Long> before = cpu();
      long began = System.nanoTime();
      long bytes = path.reader().run();
      double seconds = (System.nanoTime() - began) / 1e9;
      List<Long> after = cpu();
      double nodes = 0;
      for (int i = 2; i < after.size(); i++) {
        nodes += (after.get(i) - before.get(i)) / 1e9;
      }
      RunCost cost =
          new RunCost(seconds, (after.get(own) - before.get(own)) / 1e9, nodes, bytes / 1e6);
      if (best == null || cost.seconds < best.seconds) {
        best = cost;
      }
    }
    if (best == null) {
      throw new IllegalStateException("got no round (expected: " + ROUNDS + ")");
    }
    out.printf(
        "%-20s %6.2f s, CPU %.2f s, of data nodes %.2f s, %.0f MB%n",
        path.name(), best.seconds, best.gatewayCpu, best.nodesCpu, best.megabytes);
    return best;
  }

  private List<Long> cpu() {
    return processes.stream().map(pid -> ProcessUsage.read(pid).cpuNanos()).toList();
  }

  private long scroll() throws IOException {
    try (BlockingHttpConnection connection = BlockingHttpConnection.withBodies(coordinator)) {
      String first = "{\"size\":" + SCROLLED + ",\"sort\":[\"_doc\"]}";
      ResponseIndexes.expect(
          connection, Workload.request("POST", "/" + INDEX + "/_search?scroll=1m", first));
      long bytes = connection.bodyBytes();
      int seen = 0;
      String page = connection.body();
      for (int count = hits(page); count > 0; count = hits(page)) {
        seen += count;
        String next = "{\"scroll\":\"1m\",\"scroll_id\":\"" + scrollId(page) + "\"}";
        ResponseIndexes.expect(connection, Workload.request("POST", "/_search/scroll", next));
        bytes += connection.bodyBytes();
        page = connection.body();
      }
      if (seen != rows) {
        throw new IllegalStateException("got " + seen + " rows (expected: " + rows + ")");
      }
      return bytes;
    }
  }

  static String scrollId(String page) {
    Matcher found = SCROLL_ID.matcher(page);
    if (!found.find()) {
      throw new IllegalStateException("got a page without a scroll id (expected: one)");
    }
    return found.group(1);
  }

  /** Returns the number of hits of a page. */
  static int hits(String page) {
    int count = 0;
    for (int at = page.indexOf(HIT); at >= 0; at = page.indexOf(HIT, at + HIT.length())) {
      count++;
    }
    return count;
  }

  private long export(String form) throws IOException {
    try (BlockingHttpConnection connection = new BlockingHttpConnection(gateway.address())) {
      String path = "/" + INDEX + "/_weir/export?format=" + form;
      ResponseIndexes.expect(connection, Workload.request("POST", path, ""));
      return connection.bodyBytes();
    }
  }

  /** Checks the peak of the memory that a request holds during an export. */
  private void checkHeld(ResultChecks verdicts) throws IOException {
    CompletableFuture<Boolean> export = new CompletableFuture<>();
    Thread.ofPlatform()
        .start(() -> {
          try {
            export.complete(export("arrow") > 0);
          } catch (IOException | RuntimeException e) {
            export.complete(false);
          }
        });
    double most = 0;
    try (BlockingHttpConnection admin = BlockingHttpConnection.withBodies(gateway.adminAddress())) {
      do {
        ResponseIndexes.expect(admin, Workload.request("GET", "/stats", ""));
        most = Math.max(most, InFlightStats.count(admin.body(), HELD));
      } while (!export.isDone());
    }
    verdicts.checkTrue("export", "the measured one succeeded", export.join());
    verdicts.checkAtMost("export", "MB that a request held", most / 1048576.0, MAX_HELD_MB);
  }
}
