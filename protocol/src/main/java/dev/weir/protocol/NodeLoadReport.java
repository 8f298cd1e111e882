package dev.weir.protocol;

import org.jspecify.annotations.Nullable;

/**
 * The load that a node with the plugin reports with a response. A number that the node doesn't know
 * is -1. Immutable.
 *
 * @param runningTasks of the pool that did the work; that of the response may be among them
 * @param queuedTasks of the same pool
 * @param serviceNanos the EWMA of the time that such work takes on the node, without queueing
 * @param cpuPercent the process's share of all processors, 0 to 100
 * @param heapPercent heap in use of its maximum, 0 to 100
 * @param gcPauseMillis how long garbage collections have stopped the process since it started
 * @param runningMerges merges of segments
 */
public record NodeLoadReport(
    int runningTasks,
    int queuedTasks,
    long serviceNanos,
    int cpuPercent,
    int heapPercent,
    long gcPauseMillis,
    int runningMerges) {
  /**
   * The transport header. In a request its value is the id of the node that is asked for a report;
   * in a response it is the report.
   */
  static final String HEADER = "weir-load";

  private static final int FIELDS = 7;
  private static final int MAX_DIGITS = 18;
  private static final long MAX_PERCENT = 100;

  /**
   * Reads a report: the numbers in the record's order, in decimal, separated by commas, {@code -}
   * for one that is unknown. {@code dev.weir.node.load.LoadHeader} of the plugin writes it.
   *
   * @param bytes ASCII, from {@code from} until before {@code to}
   * @return null if the bytes are anything else
   */
  static @Nullable NodeLoadReport parse(byte[] bytes, int from, int to) {
    long[] fields = new long[FIELDS];
    int at = from;
    for (int field = 0; field < FIELDS; field++) {
      int start = at;
      long number = 0;
      while (at < to && bytes[at] >= '0' && bytes[at] <= '9') {
        number = 10 * number + bytes[at++] - '0';
      }
      int digits = at - start;
      if (digits == 0 && at < to && bytes[at] == '-') {
        number = -1;
        at++;
      } else if (digits == 0 || digits > MAX_DIGITS) {
        return null;
      }
      boolean last = field == FIELDS - 1;
      if (last ? at != to : at >= to || bytes[at++] != ',') {
        return null;
      }
      fields[field] = number;
    }
    return fields[0] > Integer.MAX_VALUE
            || fields[1] > Integer.MAX_VALUE
            || fields[3] > MAX_PERCENT
            || fields[4] > MAX_PERCENT
            || fields[6] > Integer.MAX_VALUE
        ? null
        : new NodeLoadReport(
            (int) fields[0],
            (int) fields[1],
            fields[2],
            (int) fields[3],
            (int) fields[4],
            fields[5],
            (int) fields[6]);
  }
}
