package dev.weir.bench.stocknode;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The heap of open segments beside their number, their fields, and their terms: it shows whether
 * the indexes of the terms (FSTs) are on the heap.
 */
final class SegmentHeap {
  private static final String INDEX = "segments";
  private static final int BATCH_FIELDS = 10_000;

  private final MeasuredNode node;
  private final PrintStream out;

  /** An index to measure: each document has one new term in each field. */
  private record Shape(int segments, int fields, int termsOfAField) {}

  SegmentHeap(MeasuredNode node, PrintStream out) {
    this.node = node;
    this.out = out;
  }

  /**
   * Prints a row for each shape.
   *
   * @param scale the segments of the largest shape
   */
  void measure(int scale) {
    load(new Shape(2, 200, 200)); // the first index makes objects that stay
    node.delete(INDEX);
    out.printf(
        "%n%-10s %8s %14s %16s %16s %12s%n",
        "segments", "fields", "terms a field", "terms' files MB", "heap MB", "KB a segment");
    List<Shape> shapes =
        List.of(
            new Shape(1, 10, 200),
            new Shape(scale, 10, 200),
            new Shape(scale, 10, 2000),
            new Shape(scale, 200, 200),
            new Shape(scale, 200, 400));
    for (Shape shape : shapes) {
      measure(shape);
    }
  }

  private void load(Shape shape) {
    node.create(
        INDEX,
        "\"merge.policy.segments_per_tier\": 1000, \"mapping.total_fields.limit\": 10000",
        IntStream.range(0, shape.fields())
            .mapToObj(f -> "\"f" + f + "\": {\"type\": \"keyword\"}")
            .collect(Collectors.joining(",")));
    int step = Math.max(1, BATCH_FIELDS / shape.fields());
    for (int segment = 0; segment < shape.segments(); segment++) {
      int first = segment * shape.termsOfAField();
      for (int from = 0; from < shape.termsOfAField(); from += step) {
        int to = Math.min(shape.termsOfAField(), from + step);
        node.load(INDEX, first + from, first + to, i -> document(shape.fields(), i));
      }
      node.endSegment(INDEX);
    }
  }

  private void measure(Shape shape) {
    long before = node.usedHeap();
    load(shape);
    String stats =
        node.send(
            "GET",
            "/" + INDEX + "/_stats/segments?include_segment_file_sizes=true&level=indices",
            "");
    long found = MeasuredNode.number(stats.substring(stats.indexOf("\"segments\"")), "count");
    long files = fileBytes(stats, "tim") + fileBytes(stats, "tip") + fileBytes(stats, "tmd");
    double heap = node.usedHeap() - (double) before;
    out.printf(
        Locale.ROOT,
        "%-10d %8d %14d %16.2f %16.2f %12.1f%n",
        found,
        shape.fields(),
        shape.termsOfAField(),
        files / 1e6,
        heap / 1e6,
        heap / 1e3 / found);
    node.delete(INDEX);
  }

  private static long fileBytes(String stats, String extension) {
    int at = stats.indexOf("\"" + extension + "\"");
    return at < 0 ? 0 : MeasuredNode.number(stats.substring(at), "size_in_bytes");
  }

  private static String document(int fields, int number) {
    return IntStream.range(0, fields)
        .mapToObj(f -> "\"f" + f + "\":\"" + Integer.toString(number * 31 + f, 36) + "-value\"")
        .collect(Collectors.joining(",", "{", "}"));
  }
}
