package dev.weir.bench.codec;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one codec took.
 *
 * @param storedBytes bytes of the files of stored fields after the merge
 * @param loadCpuSeconds CPU of the node for all bulks, refreshes and flushes
 * @param mergeCpuSeconds CPU of the node for the merge into one segment
 * @param medianMillis median of the time of a request for 50 documents
 * @param slowMillis 99th percentile of it
 * @param fetchCpuMicros CPU of the node for each document fetched
 */
record CodecMeasurement(
    double storedBytes,
    double loadCpuSeconds,
    double mergeCpuSeconds,
    double medianMillis,
    double slowMillis,
    double fetchCpuMicros) {
  /** Returns the median of each figure. */
  static CodecMeasurement median(List<CodecMeasurement> rounds) {
    return new CodecMeasurement(
        median(rounds, CodecMeasurement::storedBytes),
        median(rounds, CodecMeasurement::loadCpuSeconds),
        median(rounds, CodecMeasurement::mergeCpuSeconds),
        median(rounds, CodecMeasurement::medianMillis),
        median(rounds, CodecMeasurement::slowMillis),
        median(rounds, CodecMeasurement::fetchCpuMicros));
  }

  private static double median(
      List<CodecMeasurement> rounds, ToDoubleFunction<CodecMeasurement> figure) {
    double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
