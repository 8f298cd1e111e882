package dev.weir.bench.soak;

import dev.weir.bench.MeasuredGateway;
import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a gateway holds at one time, from Linux's {@code /proc}, from the counters that {@code
 * jstat} reads in a file, and from its own metrics. Nothing attaches to the process, because that
 * alone would take memory in it.
 *
 * @param figures in the order of {@link Figure}
 */
record MemorySample(List<Double> figures) {
  private static final Pattern LINE =
      Pattern.compile("(?m)^([a-z_]+)(?:\\{([^}]*)})? ([0-9.eE+-]+|NaN)$");
  private static final String JSTAT = "jstat";
  private static final double MEGABYTE = 1 << 20;
  private static final double KILOBYTE = 1 << 10;

  /** A figure of a sample, with its source: a line of /proc/PID/status, jstat, or a metric. */
  enum Figure {
    RESIDENT("resident", "VmRSS", "", MEGABYTE / KILOBYTE),
    ANONYMOUS("anonymous", "RssAnon", "", MEGABYTE / KILOBYTE),
    FILES("file-backed", "RssFile", "", MEGABYTE / KILOBYTE),
    HEAP("heap", "jvm_memory_used_bytes", "area=\"heap\"", MEGABYTE),
    COLLECTED_HEAP("heap after its last collection", MemorySample.JSTAT, "", MEGABYTE / KILOBYTE),
    DIRECT("direct buffers", "jvm_buffer_memory_used_bytes", "id=\"direct\"", MEGABYTE),
    NETTY("Netty direct", "weir_netty_direct_bytes", "", MEGABYTE),
    METASPACE("metaspace", "jvm_memory_used_bytes", "id=\"Metaspace\"", MEGABYTE),
    CODE("code cache", "jvm_memory_used_bytes", "id=\"Code", MEGABYTE),
    THREADS("threads", "jvm_threads_live_threads", "", 1),
    OPEN_FILES("open files", "process_files_open_files", "", 1);

    private final String label;
    private final String source;
    private final String labels;
    private final double unit;

    Figure(String label, String source, String labels, double unit) {
      this.label = label;
      this.source = source;
      this.labels = labels;
      this.unit = unit;
    }

    String label() {
      return label;
    }
  }

  /** Reads a gateway's. Fails if the process has ended. */
  static MemorySample read(MeasuredGateway gateway) {
    URI admin = URI.create("http://127.0.0.1:" + gateway.adminAddress().getPort());
    try (RestClient client = new RestClient(admin)) {
      return parse(
          Files.readString(Path.of("/proc/" + gateway.pid() + "/status")),
          jstat(gateway.pid()),
          client.send("GET", "/metrics").orThrow().body());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "can't read the memory of process " + gateway.pid() + " (Linux only)", e);
    }
  }

  /**
   * Reads the figures.
   *
   * @param status the contents of /proc/PID/status
   * @param jstat the output of {@code jstat -gc}
   * @param metrics in Prometheus's text format
   */
  static MemorySample parse(String status, String jstat, String metrics) {
    Map<String, Double> kilobytes =
        status
            .lines()
            .filter(line -> line.endsWith(" kB"))
            .collect(
                Collectors.toMap(
                    line -> line.substring(0, line.indexOf(':')),
                    line -> Double.parseDouble(line.replaceAll("\\D", "")),
                    Double::sum,
                    HashMap::new));
    kilobytes.put(JSTAT, collectedKilobytes(jstat));
    return new MemorySample(
        Stream.of(Figure.values())
            .map(
                figure -> kilobytes.getOrDefault(figure.source, sum(metrics, figure)) / figure.unit)
            .toList());
  }

  private static String jstat(long pid) throws IOException {
    String jstat = Path.of(System.getProperty("java.home"), "bin", "jstat").toString();
    Process process =
        new ProcessBuilder(jstat, "-gc", Long.toString(pid)).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /**
   * Returns the use of the old and of the survivor regions, which the collector sets at the end of
   * each collection; NaN if the output has none.
   */
  private static double collectedKilobytes(String jstat) {
    List<String> lines = jstat.lines().toList();
    if (lines.size() != 2) {
      return Double.NaN;
    }
    List<String> names = List.of(lines.get(0).strip().split(" +"));
    List<String> values = List.of(lines.get(1).strip().split(" +"));
    return Stream.of("S0U", "S1U", "OU")
        .mapToInt(names::indexOf)
        .mapToDouble(
            i -> i < 0 || values.get(i).equals("-") ? 0 : Double.parseDouble(values.get(i)))
        .sum();
  }

  /** Returns the sum of a metric's lines with the labels; NaN if there is none. */
  private static double sum(String metrics, Figure figure) {
    double sum = Double.NaN;
    for (Matcher line = LINE.matcher(metrics); line.find(); ) {
      String labels = line.group(2) == null ? "" : line.group(2);
      if (line.group(1).equals(figure.source) && labels.contains(figure.labels)) {
        sum = (Double.isNaN(sum) ? 0 : sum) + Double.parseDouble(line.group(3));
      }
    }
    return sum;
  }

  double of(Figure figure) {
    return figures.get(figure.ordinal());
  }

  @Override
  public String toString() {
    return Stream.of(Figure.values())
        .map(figure -> {
          String format = figure.unit == 1 ? "%s %.0f" : "%s %.1f MB";
          return String.format(Locale.ROOT, format, figure.label, of(figure));
        })
        .collect(Collectors.joining(", "));
  }
}
